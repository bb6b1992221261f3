package dev.seriatim.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ObservedRequestsTests {

  private final WebEndpointProperties endpoints = new WebEndpointProperties();

  @ParameterizedTest
  @CsvSource({
    "/v1/events, true",
    "/actuators, true",
    "/console/api/overview, true",
    "/actuator, false",
    "/actuator/health/readiness, false",
    "/console/api/overview/live, false"
  })
  void whoOnlyLooksIsLeftOut(String path, boolean observed) {
    assertThat(observed(path, "")).isEqualTo(observed);
    assertThat(observed("/behind" + path, "/behind")).isEqualTo(observed);
  }

  @Test
  void actuatorIsWhereItIsConfiguredToBe() {
    endpoints.setBasePath("/manage");
    assertThat(observed("/manage/health", "")).isFalse();
    assertThat(observed("/actuator/health", "")).isTrue();
    endpoints.setBasePath("/");
    assertThat(observed("/v1/events", "")).isTrue();
  }

  @Test
  void whatIsNoRequestIsNotItsAffair() {
    assertThat(new ObservedRequests(endpoints).test("any", new Observation.Context())).isTrue();
  }

  private boolean observed(String uri, String contextPath) {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", uri);
    request.setContextPath(contextPath);
    return new ObservedRequests(endpoints)
        .test(
            "http.server.requests",
            new ServerRequestObservationContext(request, new MockHttpServletResponse()));
  }
}

package dev.seriatim.api;

import jakarta.servlet.DispatcherType;
import java.util.Map;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import org.springframework.security.web.firewall.StrictHttpFirewall;

/** Who may call: whoever has a token; where there is none, only programs on this machine. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(SecuritySettings.class)
class SecurityConfiguration {

  @Bean
  ListenAddress listenAddress(SecuritySettings settings) {
    return new ListenAddress(settings, "server.address");
  }

  @Bean
  SecurityFilterChain securityFilterChain(
      HttpSecurity http, SecuritySettings settings, ProblemResponse problems) {
    // No cookies and no sessions: nothing that a foreign page could make a browser send along.
    http.csrf(AbstractHttpConfigurer::disable)
        .formLogin(AbstractHttpConfigurer::disable)
        .httpBasic(AbstractHttpConfigurer::disable)
        .logout(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        .sessionManagement(
            session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
    http.headers(headers -> headers.addHeaderWriter(Pages.contentSecurityPolicy()));
    Map<String, String> tokens = settings.tokens();
    if (tokens.isEmpty()) {
      http.addFilterBefore(new LoopbackFilter(problems), AuthorizationFilter.class)
          .authorizeHttpRequests(requests -> requests.anyRequest().permitAll());
    } else {
      requireToken(http, new ApiTokens(tokens), problems);
    }
    return http.build();
  }

  private static void requireToken(HttpSecurity http, ApiTokens tokens, ProblemResponse problems) {
    http.addFilterBefore(new TokenFilter(tokens), AuthorizationFilter.class)
        .authorizeHttpRequests(
            requests ->
                requests
                    .dispatcherTypeMatchers(DispatcherType.ERROR, DispatcherType.ASYNC)
                    .permitAll()
                    .requestMatchers(
                        EndpointRequest.to(HealthEndpoint.class).withHttpMethod(HttpMethod.GET))
                    .permitAll()
                    .requestMatchers(HttpMethod.GET, "/problems", "/problems/**")
                    .permitAll()
                    // A browser cannot send the token before it has a page. They hold no data.
                    .requestMatchers(HttpMethod.GET, Pages.PATHS)
                    .permitAll()
                    .anyRequest()
                    .authenticated())
        .exceptionHandling(
            errors ->
                errors.authenticationEntryPoint(
                    (request, response, _) -> {
                      response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
                      problems.write(
                          new ProblemException(
                              ProblemType.UNAUTHORIZED,
                              "Send Authorization: Bearer <token> with a token of this service"),
                          request,
                          response);
                    }));
  }

  /** Ids of events may hold any character, so a path segment may hold any, percent-encoded. */
  @Bean
  HttpFirewall httpFirewall() {
    StrictHttpFirewall firewall = new StrictHttpFirewall();
    firewall.setAllowUrlEncodedSlash(true);
    firewall.setAllowUrlEncodedDoubleSlash(true);
    firewall.setAllowUrlEncodedPercent(true);
    firewall.setAllowSemicolon(true);
    return firewall;
  }

  /**
   * Spring MVC decodes each segment of the path as the client sent it, after taking it apart at the
   * slashes; so the container must leave encoded ones alone.
   */
  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> encodedSlashes() {
    return tomcat ->
        tomcat.addConnectorCustomizers(
            connector ->
                connector.setEncodedSolidusHandling(
                    EncodedSolidusHandling.PASS_THROUGH.getValue()));
  }

  @Bean
  RequestRejectedHandler requestRejectedHandler(ProblemResponse problems) {
    return (request, response, _) ->
        problems.write(
            new ProblemException(
                ProblemType.INVALID_REQUEST,
                "The path or a header has characters that are not accepted here"),
            request,
            response);
  }
}

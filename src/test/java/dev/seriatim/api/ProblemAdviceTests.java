package dev.seriatim.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.catalina.connector.ClientAbortException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.mock.web.MockHttpServletRequest;

@ExtendWith(OutputCaptureExtension.class)
class ProblemAdviceTests {

  private final ProblemAdvice advice = new ProblemAdvice();
  private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/v1/lanes");

  @Test
  void clientThatGoesAwayDuringTheAnswerIsNoFault(CapturedOutput log) {
    Exception gone =
        new HttpMessageNotWritableException(
            "Could not write JSON", new ClientAbortException(new IOException("Broken pipe")));

    assertThat(advice.anythingElse(gone, request)).isNull();
    assertThat(log).doesNotContain("failed");
  }

  @Test
  void answerThatCannotBeWrittenIsOne(CapturedOutput log) {
    Exception fault = new HttpMessageNotWritableException("No serializer", null);

    assertThat(advice.anythingElse(fault, request).getStatusCode().value()).isEqualTo(500);
    assertThat(log).contains("ERROR").contains("GET /v1/lanes failed");
  }
}

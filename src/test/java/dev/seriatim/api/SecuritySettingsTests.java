package dev.seriatim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecuritySettingsTests {

  private static final String TOKEN = "correct-horse-battery";
  private static final String ANOTHER = "another-horse-battery";

  @Test
  void knowsWhoseTokenItIs() {
    ApiTokens tokens = new ApiTokens(new SecuritySettings(TOKEN, Map.of("anna", ANOTHER)).tokens());

    assertThat(tokens.operatorOf(TOKEN)).isEqualTo("api-token");
    assertThat(tokens.operatorOf(ANOTHER)).isEqualTo("anna");
    assertThat(tokens.operatorOf("")).isNull();
    assertThat(tokens.operatorOf(ANOTHER + "x")).isNull();
  }

  @Test
  void emptyTokenIsNone() {
    assertThat(new SecuritySettings("", Map.of()).tokens()).isEmpty();
    assertThat(new SecuritySettings("", Map.of("anna", TOKEN)).tokens()).containsOnlyKeys("anna");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "api-token", "loopback", "an na", "a/b", "änna", "a\nb"})
  void operatorsNeedNamesThatTheAuditCanShow(String name) {
    assertThatThrownBy(() -> new SecuritySettings(null, Map.of(name, TOKEN)))
        .isInstanceOf(UnusableSettingsException.class)
        .hasMessageContaining("seriatim.security.operators has the name " + name);
  }

  @Test
  void operatorsNeedTokensThatAreHardToGuess() {
    for (String weak : new String[] {"", "hunter2hunter2", "hunter2 hunter2 hunter2"}) {
      assertThatThrownBy(() -> new SecuritySettings(TOKEN, Map.of("anna", weak)))
          .isInstanceOf(UnusableSettingsException.class)
          .hasMessageStartingWith("seriatim.security.operators.anna has ")
          .hasMessageNotContaining("hunter2");
    }
  }

  @Test
  void twoNeedTokensOfTheirOwn() {
    assertThatThrownBy(() -> new SecuritySettings(TOKEN, Map.of("anna", TOKEN)))
        .isInstanceOf(UnusableSettingsException.class)
        .hasMessage(
            "seriatim.security.token and seriatim.security.operators.anna are the same token: nobody could tell who did what.");
  }

  @Test
  void neverShowsATokenAsText() {
    assertThat(new SecuritySettings(TOKEN, Map.of("anna", ANOTHER)))
        .hasToString("SecuritySettings[token=***, operators=[anna]]");
  }
}

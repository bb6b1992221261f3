package dev.seriatim.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;

class OperatorTests {

  private final Operator operator = new Operator();

  @AfterEach
  void clear() {
    SecurityContextHolder.clearContext();
  }

  @Test
  void isWhoseTokenItIs() {
    calledBy(UsernamePasswordAuthenticationToken.authenticated("anna", null, List.of()));

    assertThat(operator.name()).isEqualTo("anna");
  }

  @Test
  void isLoopbackWhereThereAreNoTokens() {
    assertThat(operator.name()).isEqualTo("loopback");

    calledBy(
        new AnonymousAuthenticationToken(
            "key", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS")));

    assertThat(operator.name()).isEqualTo("loopback");
  }

  private static void calledBy(Authentication caller) {
    SecurityContextHolder.getContext().setAuthentication(caller);
  }
}

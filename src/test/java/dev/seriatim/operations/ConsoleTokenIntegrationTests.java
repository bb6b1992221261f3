package dev.seriatim.operations;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.seriatim.TestBrowser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The console of a service that wants a token. */
class ConsoleTokenIntegrationTests {

  private static final String TOKEN = "annas-token-0123456789";

  private static TestBrowser browser;
  private static ConsoleStage stage;

  private Page page;

  @BeforeAll
  static void start() {
    browser = TestBrowser.start();
    PlaywrightAssertions.setDefaultAssertionTimeout(ConsoleStage.PATIENCE.toMillis());
    stage = new ConsoleStage("seriatim.security.operators.anna=" + TOKEN);
  }

  @AfterAll
  static void stop() {
    if (stage != null) {
      stage.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void closePage() {
    page.context().close();
    // Chromium's word on each 401.
    assertThat(browser.takeComplaints()).allMatch(complaint -> complaint.contains("401"));
  }

  @Test
  void tokenIsAskedForOnceAndKeptByTheTabAlone() {
    open("#/partitions/3", ColorScheme.LIGHT);
    assertThat(dialog()).hasCount(1);
    assertThat(page.getByLabel("Token", new Page.GetByLabelOptions().setExact(true))).isFocused();
    enter("not-the-token-at-all");
    assertThat(page.getByRole(AriaRole.ALERT)).hasText("The service does not know that token.");
    enter(TOKEN);
    assertThat(dialog()).hasCount(0);
    assertThat(page.locator(".facts")).containsText("ACTIVE");

    button("Pause").click();
    dialog().getByRole(AriaRole.BUTTON, named("Pause")).click();
    assertThat(page.locator("#said")).hasText("Partition 3 is paused.");
    page.getByText("What operators did with it").click();
    assertThat(page.locator("tbody")).containsText("anna");

    page.reload();
    assertThat(page.locator("tbody")).containsText("anna");
    assertThat(dialog()).hasCount(0);
    assertThat(page.evaluate("document.cookie + JSON.stringify(localStorage) + location.href"))
        .asString()
        .doesNotContain(TOKEN);
    page.navigate(stage.url("#/"));
    assertThat(page.locator("#live")).hasText("Live");

    button("Forget token").click();
    assertThat(dialog()).hasCount(1);
    assertThat(page.evaluate("JSON.stringify(sessionStorage)")).isEqualTo("{}");
  }

  @Test
  void withoutTheTokenThePageSaysSo() {
    open("#/lanes", ColorScheme.DARK);
    assertThat(dialog()).hasCount(1);
    TestBrowser.isAccessible("the dialog for the token", page);
    page.keyboard().press("Escape");
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("A valid API token is needed");
    button("Try again").click();
    enter(TOKEN);
    assertThat(page.locator("main")).containsText("No lane is like that");
  }

  private void open(String hash, ColorScheme scheme) {
    page = browser.page(new NewContextOptions().setColorScheme(scheme));
    page.navigate(stage.url(hash));
  }

  private void enter(String token) {
    page.getByLabel("Token", new Page.GetByLabelOptions().setExact(true)).fill(token);
    page.keyboard().press("Enter");
  }

  private Locator dialog() {
    return page.getByRole(AriaRole.DIALOG);
  }

  private Locator button(String name) {
    return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name));
  }

  private static Locator.GetByRoleOptions named(String name) {
    return new Locator.GetByRoleOptions().setName(name).setExact(true);
  }
}

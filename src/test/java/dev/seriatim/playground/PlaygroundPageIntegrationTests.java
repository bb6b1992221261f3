package dev.seriatim.playground;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.seriatim.TestBrowser;
import dev.seriatim.TestService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The playground as somebody uses it, in a real browser. */
class PlaygroundPageIntegrationTests {

  private static TestBrowser browser;
  private static TestService service;

  private Page page;

  @BeforeAll
  static void start() {
    browser = TestBrowser.start();
    service = TestService.start();
  }

  @AfterAll
  static void stop() {
    if (service != null) {
      service.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void closePage() {
    page.context().close();
    assertThat(browser.takeComplaints()).isEmpty();
  }

  @Test
  void showsTheResultOfTheDefaultsAtOnceAndSaysSo() {
    open("");

    assertThat(way("Shared queue")).containsText(Pattern.compile("[1-5] of 5 wrong"));
    assertThat(way("Hash partitions")).containsText("all 5 right");
    assertThat(way("Key lanes")).containsText("all 5 right");
    assertThat(way("Versioned writes")).containsText("late, dropped");
    assertThat(page.locator("#comparison tr")).hasCount(4);
    assertThat(page.locator("#summary")).containsText("Seed 1. Shared queue: ");
    assertThat(page.locator("#summary")).hasAttribute("aria-live", "polite");
    assertThat(page).hasURL(url("?seed=1&consumers=4&failing=IN_PLACE&shuffled=true&hot=false"));
  }

  @Test
  void eachSwitchChangesTheRunAndTheAddress() {
    open("");
    String before = page.locator("#comparison").innerText();

    label("Consumers").selectOption("8");
    String consumers = changed(before, "consumers=8");
    page.getByLabel("at the back of the queue").check();
    String failing = changed(consumers, "failing=TO_BACK");
    assertThat(way("Hash partitions")).containsText("1 of 5 wrong");
    page.getByLabel("Processing times differ").uncheck();
    String shuffled = changed(failing, "shuffled=false");
    page.getByLabel("Order A is hot").check();
    String hot = changed(shuffled, "hot=true");
    label("Seed").fill("41");
    label("Seed").press("Tab");
    String seed = changed(hot, "seed=41");
    button("Next seed").click();
    changed(seed, "seed=42");
  }

  @Test
  void addressIsAllThatSharingNeeds() {
    String query = "?seed=42&consumers=6&failing=NONE&shuffled=false&hot=true";
    open(query);

    assertThat(page).hasURL(url(query));
    assertThat(label("Seed")).hasValue("42");
    assertThat(label("Consumers")).hasValue("6");
    assertThat(page.getByLabel("it does not fail")).isChecked();
    assertThat(page.getByLabel("Processing times differ")).not().isChecked();
    assertThat(page.getByLabel("Order A is hot")).isChecked();
    String result = page.locator("#comparison").innerText();

    button("Next seed").click();
    changed(result, "seed=43");
    page.goBack();

    assertThat(page).hasURL(url(query));
    assertThat(page.locator("#comparison")).hasText(Pattern.compile(".+"));
    page.waitForCondition(() -> page.locator("#comparison").innerText().equals(result));

    page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
    button("Copy link").click();
    assertThat(page.locator("#summary")).hasText("Link copied");
    assertThat(page.evaluate("navigator.clipboard.readText()")).isEqualTo(url(query));
  }

  @Test
  void playsPausesStepsAndScrubs() {
    open("");
    long end = end();
    assertThat(now()).isEqualTo(end);

    button("Play").click();
    page.waitForCondition(() -> now() > 0 && now() < end);
    button("Pause").click();
    assertThat(button("Play")).isVisible();
    long paused = now();
    assertThat(paused).isBetween(1L, end - 1);
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    assertThat(now()).isEqualTo(paused);

    button("Step").click();
    long stepped = now();
    assertThat(stepped).isGreaterThan(paused);
    assertThat(page.locator("#summary")).containsText(Pattern.compile("consumer \\d"));
    page.locator("#back").click();
    assertThat(now()).isLessThan(stepped);

    label("Time").fill("0");
    assertThat(page.locator("#now")).containsText("0.00 s of");
    assertThat(way("Key lanes").locator(".statuses")).containsText("nothing yet");
    label("Time").fill("" + end);
    assertThat(way("Key lanes").locator(".statuses .right")).hasCount(5);
  }

  @Test
  void everythingWorksFromTheKeyboard() {
    open("");

    page.keyboard().press("Tab");
    assertThat(page.locator(".skip")).isFocused();
    page.locator("#play").focus();
    page.keyboard().press("Space");
    assertThat(button("Pause")).isVisible();
    page.keyboard().press("Enter");
    assertThat(button("Play")).isVisible();
    page.locator("#scrub").focus();
    page.keyboard().press("Home");
    assertThat(now()).isZero();
    page.keyboard().press("ArrowRight");
    assertThat(now()).isPositive();
    page.locator("#step").focus();
    long before = now();
    page.keyboard().press("Enter");
    assertThat(now()).isGreaterThan(before);
    String table = page.locator("#comparison").innerText();
    page.getByLabel("in place").focus();
    page.keyboard().press("ArrowDown");
    changed(table, "failing=TO_BACK");
    page.locator("summary").first().focus();
    page.keyboard().press("Enter");
    assertThat(page.locator("details").first().locator("tbody tr").first()).isVisible();
  }

  @Test
  void isAccessibleInLightAndDarkWideAndNarrow() {
    for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      for (int width : new int[] {1400, 360}) {
        page = browser.page(options().setColorScheme(scheme).setViewportSize(width, 900));
        page.navigate(url(""));
        assertThat(page.locator("#result")).isVisible();
        page.locator("summary").first().click();

        TestBrowser.isAccessible(scheme + " " + width, page);
        assertThat((Integer) page.evaluate("document.documentElement.scrollWidth"))
            .as("nothing sticks out at %d", width)
            .isLessThanOrEqualTo(width);
        if (width == 1400) {
          keep(scheme.name().toLowerCase(Locale.ROOT));
        }
        page.navigate(url("?consumers=9"));
        assertThat(page.getByRole(AriaRole.ALERT)).isVisible();
        TestBrowser.isAccessible("the failure in " + scheme, page);
        assertThat(browser.takeComplaints())
            .allSatisfy(complaint -> assertThat(complaint).contains("status of 400"));
      }
    }
  }

  @Test
  void darkIsDark() {
    page = browser.page(options().setColorScheme(ColorScheme.DARK));
    page.navigate(url(""));

    assertThat(page.locator("body")).hasCSS("background-color", "rgb(16, 21, 29)");
  }

  @Test
  void whoWantsNoMotionSeesSteps() {
    page = browser.page(options().setReducedMotion(ReducedMotion.REDUCE));
    page.navigate(url(""));
    assertThat(page.locator("#result")).isVisible();
    button("Play").click();
    page.waitForCondition(() -> now() > 0);
    button("Pause").click();

    String json = service.get("/playground/api/runs").body();
    assertThat(json).containsAnyOf("\"startMs\":" + now() + ",", "\"endMs\":" + now() + ",");
  }

  @Test
  void badAddressIsToldWithAWayOut() {
    open("?consumers=9");

    assertThat(page.getByRole(AriaRole.ALERT))
        .containsText("consumers must be a whole number from 1 to 8");
    assertThat(page.locator("#result")).isHidden();
    button("Start with the defaults").click();
    assertThat(page.locator("#result")).isVisible();
    assertThat(page.locator("#failure")).isHidden();
    assertThat(browser.takeComplaints())
        .allSatisfy(complaint -> assertThat(complaint).contains("status of 400"));
  }

  @Test
  void serviceThatDoesNotAnswerIsTold() {
    page = browser.page(options());
    page.route("**/playground/api/runs*", route -> route.abort());
    page.navigate(url(""));

    assertThat(page.getByRole(AriaRole.ALERT)).containsText("The service does not answer");
    assertThat(browser.takeComplaints())
        .allSatisfy(complaint -> assertThat(complaint).contains("ERR_FAILED"));
  }

  @Test
  void asksNobodyButItsService() {
    page = browser.page(options());
    List<String> asked = new ArrayList<>();
    page.onRequest(request -> asked.add(request.url()));
    page.navigate(url(""));

    assertThat(page.locator("#result")).isVisible();
    assertThat(asked)
        .hasSizeGreaterThan(5)
        .allSatisfy(address -> assertThat(address).startsWith(url("").replace("/playground", "/")));
  }

  /** A picture in target/pages, for people. */
  private void keep(String name) {
    page.screenshot(
        new Page.ScreenshotOptions()
            .setFullPage(true)
            .setPath(Path.of("target", "pages", "playground-" + name + ".png")));
  }

  private void open(String query) {
    page = browser.page(options());
    page.navigate(url(query));
    assertThat(page.locator("#loading")).isHidden();
  }

  private String changed(String before, String inAddress) {
    page.waitForCondition(() -> !page.locator("#comparison").innerText().equals(before));
    assertThat(page).hasURL(Pattern.compile(inAddress));
    return page.locator("#comparison").innerText();
  }

  private Locator way(String name) {
    return page.getByRole(
        AriaRole.REGION, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private Locator label(String name) {
    return page.getByLabel(name, new Page.GetByLabelOptions().setExact(true));
  }

  private Locator button(String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private long now() {
    return Math.round(Double.parseDouble(page.locator("#scrub").inputValue()));
  }

  private long end() {
    return Long.parseLong(page.locator("#scrub").getAttribute("max"));
  }

  private static String url(String query) {
    return "http://localhost:" + service.port() + "/playground" + query;
  }

  private static NewContextOptions options() {
    return new NewContextOptions();
  }
}

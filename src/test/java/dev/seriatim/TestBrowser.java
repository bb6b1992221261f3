package dev.seriatim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A real browser without a window, for the pages of the service. Where none is installed the tests
 * that want it are skipped, and say so. Downloads nothing.
 *
 * <p>Not thread-safe.
 */
public final class TestBrowser implements AutoCloseable {

  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome-stable", "google-chrome");

  private final Playwright playwright;
  private final Browser browser;
  private final List<String> complaints = new ArrayList<>();

  private TestBrowser(Path executable) {
    this.playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    this.browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(executable)
                    // A test machine may be a container, where Chromium's own sandbox cannot be.
                    .setChromiumSandbox(false));
  }

  /** Takes seconds. Skips the test that calls when there is no browser. */
  public static TestBrowser start() {
    Optional<Path> executable = installed();
    assumeTrue(
        executable.isPresent(),
        () ->
            "No browser is installed (one of %s on the PATH): the pages are not tested"
                .formatted(NAMES));
    return new TestBrowser(executable.orElseThrow());
  }

  private static Optional<Path> installed() {
    List<Path> folders =
        Stream.of(System.getenv("PATH").split(Pattern.quote(File.pathSeparator)))
            .map(Path::of)
            .toList();
    return NAMES.stream()
        .flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** A page with nothing in it, in a context of its own; its complaints are collected. */
  public Page page(Browser.NewContextOptions options) {
    BrowserContext context = browser.newContext(options);
    Page page = context.newPage();
    page.onConsoleMessage(
        message -> {
          if (message.type().equals("error") || message.type().equals("warning")) {
            complaints.add(message.type() + ": " + message.text() + " " + message.location());
          }
        });
    page.onPageError(error -> complaints.add("uncaught: " + error));
    return page;
  }

  /** The page, named, has no violation that axe finds. */
  public static void isAccessible(String name, Page page) {
    assertThat(new AxeBuilder(page).analyze().getViolations())
        .as("accessibility of %s", name)
        .extracting(rule -> rule.getId() + ": " + rule.getHelp() + " " + rule.getNodes())
        .isEmpty();
  }

  /** Errors and warnings of all pages since the last call. */
  public List<String> takeComplaints() {
    List<String> taken = List.copyOf(complaints);
    complaints.clear();
    return taken;
  }

  @Override
  public void close() {
    playwright.close();
  }
}

package dev.seriatim.operations;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.seriatim.TestBrowser;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The console as an operator uses it, in a real browser on a service with real deliveries. */
class ConsolePageIntegrationTests {

  private static TestBrowser browser;
  private static ConsoleStage stage;

  private Page page;

  @BeforeAll
  static void start() {
    browser = TestBrowser.start();
    PlaywrightAssertions.setDefaultAssertionTimeout(ConsoleStage.PATIENCE.toMillis());
    stage = new ConsoleStage();
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
    assertThat(browser.takeComplaints()).isEmpty();
  }

  @Test
  void overviewIsLiveAndRedWhereAHeadIsStuck() {
    stage.failing("stuck");
    stage.publish("stuck", "stuck-1", "k");
    int shallow = stage.waiting("stuck", "k").path("partition").asInt();
    open("");
    assertThat(page.locator("#live")).hasText("Live");
    Locator cells = page.locator(".heat a");
    assertThat(cells).hasCount(8);
    Locator cell = cells.nth(shallow);
    assertThat(cell).hasAttribute("aria-label", Pattern.compile("active, owner pod-.*1 delivery"));
    assertThat(cell).not().hasClass(Pattern.compile("stuck"));
    assertThat(page.locator("#tiles")).containsText("Events published");

    // As if it had been failing for two minutes: no page is loaded, the next sample shows it.
    stage
        .jdbc()
        .sql(
            """
            update delivery set first_attempt_at = clock_timestamp() - interval '2 minutes'
            where first_attempt_at is not null and event_pk = (select pk from event where id = 'stuck-1')
            """)
        .update();

    assertThat(cell).hasClass(Pattern.compile("stuck"));
    assertThat(cell).hasAttribute("aria-label", Pattern.compile("stuck: a head has been failing"));
    assertThat(page.locator("#attention")).containsText("STUCK");
    page.locator("#attention a[href='#/partitions/" + shallow + "']").click();
    assertThat(heading()).hasText("Partition " + shallow);
    assertThat(heading()).isFocused();
    stage.mend("stuck");
    stage.service().post("/v1/lanes/" + stage.waiting("stuck", "k").path("id") + "/retry", null);
  }

  @Test
  void keyboardGoesFromPartitionToPartition() {
    open("");
    Locator cells = page.locator(".heat a");
    cells.first().focus();
    page.keyboard().press("ArrowRight");
    assertThat(cells.nth(1)).isFocused();
    page.keyboard().press("End");
    assertThat(cells.nth(7)).isFocused();
    page.keyboard().press("Home");
    assertThat(cells.first()).isFocused();
    page.keyboard().press("ArrowRight");
    page.keyboard().press("Enter");
    assertThat(heading()).hasText("Partition 1");
    settled();
    page.keyboard().press("Tab");
    assertThat(button("Refresh")).isFocused();
    page.keyboard().press("Tab");
    assertThat(button("Pause")).isFocused();
  }

  @Test
  void lostConnectionIsSaidAndComesBack() {
    page = browser.page(new NewContextOptions());
    page.route("**/overview/live", route -> route.abort());
    page.navigate(stage.url(""));
    assertThat(page.locator("#live")).hasText("The connection is lost; trying again");

    page.unroute("**/overview/live");

    assertThat(page.locator("#live")).hasText("Live");
    assertThat(page.locator(".heat a")).hasCount(8);
    assertThat(browser.takeComplaints()).allMatch(complaint -> complaint.contains("ERR_FAILED"));
  }

  @Test
  void stuckKeyIsFoundRetriedParkedResumedAndSkipped() {
    stage.failing("orders");
    for (int i = 1; i <= 3; i++) {
      stage.publish("orders", "order-" + i, "order_7");
    }
    JsonNode lane = stage.waiting("orders", "order_7");
    open("");
    page.getByRole(AriaRole.LINK, link("Lanes")).click();
    page.getByLabel("State").selectOption("WAITING");
    page.getByLabel("Subscription").fill("orders");
    button("Apply").click();
    assertThat(page).hasURL(stage.url("#/lanes?state=WAITING&subscription=orders"));
    assertThat(button("Apply")).isFocused();
    assertThat(row("order_7")).containsText("SERVER_ERROR");
    page.reload();
    assertThat(page.getByLabel("State")).hasValue("WAITING");
    row("order_7").getByRole(AriaRole.LINK).first().click();
    assertThat(heading()).hasText("Lane " + lane.path("id"));
    assertThat(page.locator("main")).containsText("The first 3 of 3 in line");
    page.getByText("Answer").click();
    assertThat(page.locator("main")).containsText("<i>not now</i>");

    act("Retry now", "");
    said("is due now");
    assertThat(page.locator(".timeline li")).hasCount(2);

    act("Park", "receiver is being mended");
    said("is parked");
    // What is held has no next attempt.
    assertThat(row("order-1").locator("td").nth(6)).hasText("–");
    assertThat(page.locator(".facts")).containsText("HELD by operator");
    assertThat(page.locator(".facts")).containsText("receiver is being mended");

    act("Resume", "");
    said("goes on");
    assertThat(button("Park")).isVisible();

    stage.mend("orders");
    act("Skip head", "");
    said("Sequence 1 of lane");
    stage.awaitState("order-3", "DELIVERED");
    page.getByText("What operators did with it").click();
    for (String action : List.of("RETRY_HEAD", "PARK_LANE", "RESUME_LANE", "SKIP_HEAD")) {
      assertThat(page.locator("tbody")).containsText(action);
    }
    page.getByRole(AriaRole.LINK, link("lane/" + lane.path("id"))).first().click();
    assertThat(page.locator("main")).containsText("Nothing is in line.");
  }

  @Test
  void partitionIsPausedAndGoesOn() {
    open("#/partitions/7");
    act("Pause", "maintenance");
    said("Partition 7 is paused.");
    assertThat(button("Resume")).isVisible();
    open("");
    assertThat(page.locator("#attention")).containsText("maintenance");
    assertThat(page.locator(".heat a").nth(7)).hasClass(Pattern.compile("paused"));
    page.locator(".heat a").nth(7).click();
    assertThat(page.locator(".facts")).containsText("maintenance");
    act("Resume", "");
    said("Partition 7 goes on.");
    open("#/partitions/99");
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("There is no partition 99");
  }

  @Test
  void endpointIsDisabledEnabledAndGetsAgainWhatItLost() {
    stage.subscription("lossy", "");
    stage.publish("lossy", "lossy-1", "a");
    stage.publish("lossy", "lossy-2", "b");
    stage.awaitState("lossy-1", "DELIVERED");
    stage.awaitState("lossy-2", "DELIVERED");
    open("#/subscriptions?tenant=acme");
    page.getByRole(AriaRole.LINK, link("lossy")).click();
    assertThat(page.locator(".facts")).containsText("CLOSED");
    act("Disable", "moves house");
    said("Subscription lossy is disabled.");
    assertThat(page.locator(".facts")).containsText("moves house");
    act("Enable", "");
    said("Subscription lossy is enabled.");

    page.getByLabel("Published from").fill("2020-01-01T00:00");
    page.getByLabel("Event types").fill("lossy, none");
    button("Count them first").click();
    assertThat(page.locator("main")).containsText("2 deliveries would come back into the queue.");
    button("Deliver again").click();
    assertThat(heading()).hasText(Pattern.compile("Job \\d+"));
    assertThat(page.locator("main")).containsText("DONE 2 back in the queue");
    assertThat(page.locator("main")).containsText("REDELIVER");
    page.getByRole(AriaRole.LINK, link("Jobs")).click();
    assertThat(page.locator("tbody tr").first()).containsText("REDELIVER");
  }

  @Test
  void deadLettersAreReplayedOneByOneOrByFilterOrDiscarded() {
    stage.givingUp("invoices");
    for (int i = 1; i <= 5; i++) {
      stage.publish("invoices", "invoice-" + i, "k" + i);
      stage.awaitState("invoice-" + i, "DEAD");
    }
    stage.mend("invoices");
    open("#/dead-letters");
    page.getByLabel("Subscription").fill("invoices");
    page.getByLabel("Subscription").press("Enter");
    assertThat(page).hasURL(stage.url("#/dead-letters?subscription=invoices"));
    assertThat(page.locator("tbody tr")).hasCount(5);

    row("invoice-1").getByRole(AriaRole.BUTTON, named("Replay")).click();
    confirm("Replay");
    said("is back in the queue as ORIGINAL.");
    assertThat(page.locator("tbody tr")).hasCount(4);
    stage.awaitState("invoice-1", "DELIVERED");

    row("invoice-2").getByRole(AriaRole.LINK).first().click();
    assertThat(page.locator("pre").first()).containsText("<b>invoices</b>");
    act("Discard", "");
    said("is discarded.");
    stage.awaitState("invoice-2", "DISCARDED");
    assertThat(page.locator("main")).containsText("There is no");

    open("#/dead-letters?subscription=invoices");
    page.getByLabel("As", new Page.GetByLabelOptions().setExact(true)).selectOption("NEW");
    button("Count them first").click();
    assertThat(page.locator("main")).containsText("3 deliveries would come back into the queue.");
    button("Replay them").click();
    assertThat(page.locator("main")).containsText("DONE 3 of 3 back in the queue");
    assertThat(page.getByRole(AriaRole.PROGRESSBAR)).hasAttribute("value", "3");
    open("#/dead-letters?subscription=invoices");
    assertThat(page.locator("main")).containsText("There is no dead letter like that.");
    browser.takeComplaints().forEach(c -> assertThat(c).contains("404"));
  }

  @Test
  void jobIsCancelled() {
    stage.givingUp("slow");
    stage.publish("slow", "slow-1", "k");
    stage.awaitState("slow-1", "DEAD");
    // Each step of a job fails and is tried again five seconds later.
    stage
        .jdbc()
        .sql(
            """
            create function refuse() returns trigger language plpgsql as $$ begin raise 'not today'; end $$;
            create trigger refuse before insert on delivery for each row when (new.replay is not null)
              execute function refuse()
            """)
        .update();
    open("#/dead-letters?subscription=slow");
    button("Count them first").click();
    assertThat(page.locator("main")).containsText("1 delivery would come back");
    button("Replay them").click();
    assertThat(heading()).hasText(Pattern.compile("Job \\d+"));
    assertThat(page.getByRole(AriaRole.PROGRESSBAR)).hasAttribute("max", "1");
    assertThat(page.locator(".facts")).containsText("not today");

    act("Cancel job", "");

    said("is over: CANCELLED.");
    assertThat(page.locator("main")).containsText("0 of 1 back in the queue");
    stage.jdbc().sql("drop function refuse cascade").update();
    open("#/jobs?state=CANCELLED");
    assertThat(row("REPLAY_DEAD_LETTERS")).hasCount(1);
  }

  @Test
  void eventShowsWhereItStandsAndIsDeliveredAgain() {
    stage.subscription("shop:1", "");
    stage.publish("shop:1", "shop/1", "k");
    open("#/events");
    page.getByLabel("Tenant").fill("acme");
    page.getByLabel("Event id").fill("shop/1");
    button("Find").click();
    assertThat(heading()).hasText("Event shop/1");
    assertThat(page.locator("tbody tr")).containsText("k");
    page.waitForCondition(
        () -> {
          page.reload();
          page.locator("tbody tr").waitFor();
          return page.locator("tbody").innerText().contains("DELIVERED");
        });
    assertThat(page.locator(".timeline li")).hasCount(1);
    assertThat(page.locator(".timeline")).containsText("status 204");
    act("Deliver again", "");
    said("shop:1: REDELIVERED");
    page.waitForCondition(
        () -> {
          page.reload();
          page.locator(".timeline li").first().waitFor();
          return page.locator(".timeline li").count() == 2;
        });
  }

  @Test
  void nothingAndRefusalsAreSaid() {
    open("#/lanes?subscription=nobody");
    assertThat(page.locator("main")).containsText("No lane is like that");
    open("#/lanes?partition=first");
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("partition");
    open("#/lanes/999999");
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("There is no lane 999999");
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("There is no such thing");
    open("#/nowhere");
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("There is no such page");
    open("#/events/acme/none");
    assertThat(page.getByRole(AriaRole.ALERT).first()).containsText("has no event none");
    browser.takeComplaints().forEach(c -> assertThat(c).containsPattern("40[04]"));
  }

  @Test
  void settingsAreShownWithTheirMeaning() {
    open("#/settings");
    assertThat(row("seriatim.delivery.breaker.open-for")).containsText("max-open-for");
    assertThat(page.locator("main")).not().containsText("{@");
    page.getByLabel("Name contains").fill("partitions.count");
    button("Apply").click();
    assertThat(page.locator("tbody tr")).hasCount(1);
    assertThat(row("seriatim.partitions.count")).containsText("8");
    assertThat(row("seriatim.partitions.count")).containsText("yes");
  }

  @Test
  void everyPageIsAccessibleInLightAndDark() {
    stage.failing("seen");
    stage.givingUp("lost");
    stage.publish("seen", "seen-1", "k");
    stage.publish("lost", "lost-1", "k");
    stage.awaitState("lost-1", "DEAD");
    JsonNode lane = stage.waiting("seen", "k");
    String letter = stage.service().get("/v1/dead-letters?subscription=lost").text("/items/0/id");
    stage.service().post("/v1/partitions/6/pause", null);
    stage.service().post("/v1/dead-letters/replay", "{\"subscription\": \"nobody\"}");
    for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      // As narrow as WCAG 2.2, 1.4.10 (Reflow), asks for.
      int width = scheme == ColorScheme.LIGHT ? 1280 : 320;
      page =
          browser.page(new NewContextOptions().setColorScheme(scheme).setViewportSize(width, 800));
      for (String hash :
          List.of(
              "#/",
              "#/partitions/" + lane.path("partition"),
              "#/lanes",
              "#/lanes/" + lane.path("id"),
              "#/subscriptions",
              "#/subscriptions/seen",
              "#/dead-letters",
              "#/dead-letters/" + letter,
              "#/events",
              "#/events/acme/seen-1",
              "#/jobs",
              "#/jobs/1",
              "#/audit",
              "#/settings",
              "#/nowhere")) {
        page.navigate(stage.url(hash));
        settled();
        TestBrowser.isAccessible(hash + " " + scheme, page);
        assertThat((int) page.evaluate("document.documentElement.scrollWidth"))
            .as("width of " + hash)
            .isLessThanOrEqualTo(width);
      }
      page.navigate(stage.url("#/lanes/" + lane.path("id")));
      button("Park").click();
      TestBrowser.isAccessible("a question, " + scheme, page);
      page.keyboard().press("Escape");
      assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
      assertThat(button("Park")).isFocused();
      if (scheme == ColorScheme.LIGHT) {
        page.context().close();
      }
    }
    stage.service().post("/v1/partitions/6/resume", null);
  }

  @Test
  void playgroundIsLinked() {
    open("");
    page.getByRole(AriaRole.LINK, link("Playground")).click();
    assertThat(page).hasURL(Pattern.compile("/playground"));
    page.getByRole(AriaRole.LINK, link("Console")).click();
    assertThat(heading()).hasText("Overview");
    page.locator("#tiles")
        .getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName("Lanes held"))
        .click();
    assertThat(page).hasURL(stage.url("#/lanes?state=HELD"));
  }

  /** Counts may be a minute old where the queue is long. */
  @Test
  void mapGoesByWhatWaitsNotByWhatWasCounted() {
    page = browser.page(new NewContextOptions());
    String partition =
        """
        {"partition": %d, "state": "ACTIVE", "owner": "pod-a", "epoch": 1, "depth": %d, %s "keys": 0, "lanes": {"active": 0, "waiting": 0, "held": 0}}""";
    String overview =
        """
        {"partitionCount": 2, "sampledAt": "2026-01-01T00:00:00Z", "workers": [], "stuckAfterSeconds": 60, "stuck": [], "partitions": [%s, %s]}"""
            .formatted(
                partition.formatted(0, 7, ""),
                partition.formatted(1, 0, "\"oldestAgeSeconds\": 5.0,"));
    page.route(
        "**/overview/live",
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setContentType("text/event-stream")
                    .setBody("event: overview\ndata: " + overview + "\n\n")));
    page.navigate(stage.url(""));

    assertThat(page.locator(".heat a").nth(0)).hasClass(Pattern.compile("heat-0"));
    assertThat(page.locator(".heat a").nth(1)).hasClass(Pattern.compile("heat-2"));
    assertThat(page.locator(".heat a").nth(1))
        .hasAttribute("aria-label", Pattern.compile("oldest 5 s"));
  }

  @Test
  void nothingMovesForThoseWhoDoNotWantIt() {
    page = browser.page(new NewContextOptions().setReducedMotion(ReducedMotion.REDUCE));
    page.navigate(stage.url(""));
    page.locator(".heat a").first().waitFor();
    assertThat(
            page.evaluate("getComputedStyle(document.querySelector('.heat a')).transitionDuration"))
        .isEqualTo("0s");
  }

  private void open(String hash) {
    if (page == null || page.isClosed()) {
      page = browser.page(new NewContextOptions());
    }
    page.navigate(stage.url(hash));
    settled();
  }

  /** What it loads is there. */
  private void settled() {
    assertThat(heading()).isVisible();
    assertThat(page.locator(".loading")).hasCount(0);
    assertThat(page.locator("[aria-busy]")).hasCount(0);
  }

  /** Presses a button, gives a reason if one is asked for, and confirms. */
  private void act(String label, String reason) {
    button(label).click();
    if (!reason.isEmpty()) {
      page.getByRole(AriaRole.DIALOG).getByLabel("Reason").fill(reason);
    }
    confirm(label);
  }

  private void confirm(String label) {
    page.getByRole(AriaRole.DIALOG).getByRole(AriaRole.BUTTON, named(label)).click();
    assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
  }

  private void said(String text) {
    assertThat(page.locator("#said")).containsText(text);
  }

  private Locator heading() {
    return page.locator("h1");
  }

  private Locator row(String text) {
    return page.locator("tbody tr", new Page.LocatorOptions().setHasText(text));
  }

  private Locator button(String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private static Locator.GetByRoleOptions named(String name) {
    return new Locator.GetByRoleOptions().setName(name).setExact(true);
  }

  private static Page.GetByRoleOptions link(String name) {
    return new Page.GetByRoleOptions().setName(name).setExact(true);
  }
}

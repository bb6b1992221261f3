package dev.seriatim.operations;

import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * What the console needs that the operators' API does not have. Not part of the API: it changes
 * with the console.
 */
@Hidden
@RestController
class ConsoleController {

  private final OverviewSampler sampler;
  private final ConsoleFeed feed;
  private final SettingsInForce settings;

  ConsoleController(OverviewSampler sampler, ConsoleFeed feed, SettingsInForce settings) {
    this.sampler = sampler;
    this.feed = feed;
    this.settings = settings;
  }

  @GetMapping(path = "/console/api/overview", produces = MediaType.APPLICATION_JSON_VALUE)
  Overview overview() {
    return sampler.sample();
  }

  @GetMapping("/console/api/overview/live")
  void live(HttpServletRequest request, HttpServletResponse response) {
    // Nobody would ever notice that whoever asked for the headers alone has gone.
    if (HttpMethod.HEAD.matches(request.getMethod())) {
      return;
    }
    feed.listen(
        () -> {
          response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE + ";charset=UTF-8");
          response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
          // Some proxies (nginx) would collect it.
          response.setHeader("X-Accel-Buffering", "no");
          return response.getOutputStream();
        });
  }

  @GetMapping(path = "/console/api/settings", produces = MediaType.APPLICATION_JSON_VALUE)
  List<SettingsInForce.Setting> settings() {
    return settings.all();
  }
}

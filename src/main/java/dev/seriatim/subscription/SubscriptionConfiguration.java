package dev.seriatim.subscription;

import dev.seriatim.api.ProblemException;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.SecureRandom;
import java.util.Locale;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(SubscriptionDefaults.class)
class SubscriptionConfiguration {

  @Bean
  RandomNames randomNames() {
    return new RandomNames(new SecureRandom());
  }

  @Bean
  UrlCheck urlCheck() {
    return SubscriptionConfiguration::parse;
  }

  private static URI parse(String url) {
    try {
      URI parsed = new URI(url);
      String scheme = parsed.getScheme();
      if (scheme != null
          && scheme.toLowerCase(Locale.ROOT).matches("https?")
          && parsed.getHost() != null) {
        return parsed;
      }
      throw ProblemException.invalid("url", "must begin with http:// or https:// and name a host");
    } catch (URISyntaxException notAUrl) {
      throw ProblemException.invalid("url", "must be a URL: " + notAUrl.getReason());
    }
  }
}

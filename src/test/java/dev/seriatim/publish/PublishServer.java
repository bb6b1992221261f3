package dev.seriatim.publish;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.random.RandomGenerator;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.HttpEncodingAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.MultipartAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.FilterType;

/**
 * The way in alone, on a real web server, in front of a queue in memory. Not annotated as a
 * configuration, so that tests which start the whole service do not find it.
 */
@ImportAutoConfiguration({
  TomcatServletWebServerAutoConfiguration.class,
  DispatcherServletAutoConfiguration.class,
  WebMvcAutoConfiguration.class,
  ErrorMvcAutoConfiguration.class,
  HttpMessageConvertersAutoConfiguration.class,
  HttpEncodingAutoConfiguration.class,
  MultipartAutoConfiguration.class,
  JacksonAutoConfiguration.class
})
@ComponentScan(basePackageClasses = EventController.class)
@ComponentScan(
    basePackages = "dev.seriatim.api",
    useDefaultFilters = false,
    includeFilters =
        @ComponentScan.Filter(
            type = FilterType.REGEX,
            pattern = ".*\\.(ProblemAdvice|ErrorPath|JsonConfiguration|WebConfiguration)"))
class PublishServer {

  @Bean
  FakePublisher publisher() {
    return new FakePublisher();
  }

  @Bean
  Clock clock() {
    return Clock.systemUTC();
  }

  @Bean
  RandomGenerator random() {
    return new SecureRandom();
  }
}

package dev.seriatim.operations;

import org.springframework.context.annotation.Configuration;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Serves the scripts and styles of the console; browsers ask each time whether they changed. */
@Configuration(proxyBeanMethods = false)
class ConsoleFiles implements WebMvcConfigurer {

  @Override
  public void addResourceHandlers(ResourceHandlerRegistry registry) {
    registry
        .addResourceHandler("/console/*.js", "/console/*.css", "/console/*.svg")
        .addResourceLocations("classpath:/static/console/")
        .setCacheControl(CacheControl.noCache());
  }
}

package dev.seriatim.api;

import org.springframework.context.annotation.Configuration;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** What holds for every endpoint. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration implements WebMvcConfigurer {

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(new QueryParameters());
  }

  /** Files of the pages; asked for again each time, so that a page fits its service. */
  @Override
  public void addResourceHandlers(ResourceHandlerRegistry registry) {
    for (String folder : new String[] {"/assets/", "/console/", "/playground/"}) {
      registry
          .addResourceHandler(folder + "**")
          .addResourceLocations("classpath:/static" + folder)
          .setCacheControl(CacheControl.noCache());
    }
  }

  @Override
  public void addViewControllers(ViewControllerRegistry registry) {
    registry.addViewController("/").setViewName("forward:/console/index.html");
    registry.addViewController("/playground").setViewName("forward:/playground/index.html");
    registry.addRedirectViewController("/playground/", "/playground").setKeepQueryParams(true);
  }
}

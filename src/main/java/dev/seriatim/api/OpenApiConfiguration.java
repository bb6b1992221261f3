package dev.seriatim.api;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The description of the API, served at {@code /v3/api-docs}. */
@Configuration(proxyBeanMethods = false)
class OpenApiConfiguration {

  private static final String SCHEME = "token";

  @Bean
  OpenAPI openApi(ObjectProvider<BuildProperties> build) {
    BuildProperties built = build.getIfAvailable();
    String version = built == null ? "development" : built.getVersion();
    return new OpenAPI()
        .info(
            new Info()
                .title("Seriatim")
                .version(version == null ? "development" : version)
                .description(
                    """
                    Webhooks delivered in order per key. Producers publish events, each event reaches \
                    every matching subscription's URL, and the deliveries of one key arrive one after \
                    another in the order they were accepted. Errors are problems (RFC 9457) whose \
                    type leads to a page of this service.""")
                .license(new io.swagger.v3.oas.models.info.License().name("Apache-2.0")))
        .addSecurityItem(new SecurityRequirement().addList(SCHEME))
        .components(
            new Components()
                .addSecuritySchemes(
                    SCHEME,
                    new SecurityScheme()
                        .type(SecurityScheme.Type.HTTP)
                        .scheme("bearer")
                        .description(
                            "The value of seriatim.security.token or of one of seriatim.security.operators; not needed where none is set.")));
  }
}

package dev.seriatim.api;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.context.annotation.Bean;

/**
 * The actuator's server when it has a port of its own. Its application context does not see the
 * customizers of the main one, and the main one's scan leaves this out.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class ManagementAddressConfiguration {

  @Bean
  ListenAddress managementListenAddress(SecuritySettings settings) {
    return new ListenAddress(settings, "management.server.address");
  }
}

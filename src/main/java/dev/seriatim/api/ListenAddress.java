package dev.seriatim.api;

import java.net.InetAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.AbstractConfigurableWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Keeps a web server without a token on loopback. Last of all customizers, so that it judges the
 * address that will really be listened on, wherever it was configured.
 */
@Order(Ordered.LOWEST_PRECEDENCE)
final class ListenAddress
    implements WebServerFactoryCustomizer<AbstractConfigurableWebServerFactory> {

  private static final Logger log = LoggerFactory.getLogger(ListenAddress.class);

  private final SecuritySettings settings;
  private final String property;

  /**
   * @param property the setting that moves this server to another address
   */
  ListenAddress(SecuritySettings settings, String property) {
    this.settings = settings;
    this.property = property;
  }

  @Override
  public void customize(AbstractConfigurableWebServerFactory server) {
    if (!settings.tokens().isEmpty()) {
      return;
    }
    InetAddress configured = server.getAddress();
    InetAddress address = configured == null ? InetAddress.getLoopbackAddress() : configured;
    if (!address.isLoopbackAddress()) {
      throw new UnusableSettingsException(
          "%s is %s, which other machines can reach, but no API token is configured (seriatim.security.token)."
              .formatted(property, address.getHostAddress()),
          "Set seriatim.security.token (SERIATIM_SECURITY_TOKEN) to a secret of at least 16 characters, or remove %s to listen on loopback only."
              .formatted(property));
    }
    server.setAddress(address);
    log.info(
        "No API token is configured (seriatim.security.token): {} is {}, only programs on this machine can call",
        property,
        address.getHostAddress());
  }
}

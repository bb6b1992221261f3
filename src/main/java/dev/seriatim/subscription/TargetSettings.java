package dev.seriatim.subscription;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where webhooks may go.
 *
 * @param allow blocks that may be reached although they are special, for example 127.0.0.0/8 and
 *     ::1/128 for local development; none by default
 * @param deny blocks that must never be reached; beats everything else
 * @param httpsOnly whether URLs of new and changed subscriptions must be https
 */
@ConfigurationProperties("seriatim.targets")
public record TargetSettings(
    @DefaultValue List<Cidr> allow,
    @DefaultValue List<Cidr> deny,
    @DefaultValue("false") boolean httpsOnly) {

  public TargetSettings {
    allow = List.copyOf(allow);
    deny = List.copyOf(deny);
  }
}

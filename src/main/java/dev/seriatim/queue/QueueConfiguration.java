package dev.seriatim.queue;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({PublishSettings.class, SettleSettings.class})
class QueueConfiguration {}

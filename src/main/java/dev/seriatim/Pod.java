package dev.seriatim;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationExcludeFilter;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.FilterType;

/** Everything: the HTTP API, the drainers of the partitions that it owns, and the leases. */
@EnableAutoConfiguration
// Boot's own scan, but without what belongs to the actuator's server alone: Boot loads that itself,
// by its imports file, into that server's context.
@ComponentScan(
    excludeFilters = {
      @Filter(type = FilterType.CUSTOM, classes = TypeExcludeFilter.class),
      @Filter(type = FilterType.CUSTOM, classes = AutoConfigurationExcludeFilter.class),
      @Filter(type = FilterType.ANNOTATION, classes = ManagementContextConfiguration.class)
    })
@Conditional(Purpose.Serving.class)
class Pod {}

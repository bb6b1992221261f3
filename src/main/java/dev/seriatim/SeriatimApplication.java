package dev.seriatim;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.annotation.Import;

/**
 * Starts one pod of Seriatim, or brings the tables up to date and ends, as {@code
 * seriatim.migrations.run} says.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@Import({Pod.class, MigrationJob.class})
public class SeriatimApplication {

  public static void main(String[] arguments) {
    SpringApplication application = new SpringApplication(SeriatimApplication.class);
    application.addListeners(new Termination());
    application.run(arguments);
  }
}

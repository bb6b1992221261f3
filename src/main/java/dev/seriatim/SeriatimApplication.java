package dev.seriatim;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Starts one pod of Seriatim: the HTTP API, the drainers of the partitions it owns, and the leases.
 */
@SpringBootApplication
public class SeriatimApplication {

  public static void main(String[] arguments) {
    SpringApplication.run(SeriatimApplication.class, arguments);
  }
}

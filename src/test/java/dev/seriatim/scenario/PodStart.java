package dev.seriatim.scenario;

import java.util.Optional;

/** How the process of a pod is started. */
interface PodStart {

  /** What the pod takes for its machine's name. */
  String host();

  /** What each request must carry, if anything. */
  default Optional<String> token() {
    return Optional.empty();
  }

  /** Not started yet; each call makes one of its own. */
  ProcessBuilder process();
}

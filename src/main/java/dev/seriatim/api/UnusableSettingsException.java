package dev.seriatim.api;

/** The service does not start with these settings. */
public final class UnusableSettingsException extends RuntimeException {

  private final String remedy;

  /**
   * @param fault what is wrong, naming the settings; no secrets
   * @param remedy what to do about it
   */
  public UnusableSettingsException(String fault, String remedy) {
    super(fault);
    this.remedy = remedy;
  }

  /** What to do about it. */
  public String remedy() {
    return remedy;
  }
}

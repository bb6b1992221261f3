package dev.seriatim.scenario;

/** A line of the failure matrix with a crash in the middle. */
record MatrixCell(MatrixRow row, MatrixRow.Crash crash) {

  @Override
  public String toString() {
    return row + ", crash " + crash;
  }
}

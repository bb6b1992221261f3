package dev.seriatim.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks and bounds {@code tracestate} (W3C Trace Context, section 3.3). Pure. */
final class TraceState {

  /** What everybody must be able to send on. */
  private static final int MAX_LENGTH = 512;

  private static final int MAX_MEMBERS = 32;

  /** Longer members are the first to go. */
  private static final int LONG_MEMBER = 128;

  private static final Pattern MEMBER =
      Pattern.compile("[a-z0-9][a-z0-9_\\-*/@]{0,255}=[ -+\\--<>-~]{0,255}[!-+\\--<>-~]");

  private TraceState() {}

  /**
   * Members are kept or dropped whole.
   *
   * @return null for none, and when any member is malformed
   */
  static @Nullable String bounded(@Nullable String text) {
    if (text == null) {
      return null;
    }
    List<String> members = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String member = part.strip();
      if (!member.isEmpty()) {
        if (!MEMBER.matcher(member).matches() || members.size() == MAX_MEMBERS) {
          return null;
        }
        members.add(member);
      }
    }
    if (length(members) > MAX_LENGTH) {
      members.removeIf(member -> member.length() > LONG_MEMBER);
    }
    while (length(members) > MAX_LENGTH) {
      members.removeLast();
    }
    return members.isEmpty() ? null : String.join(",", members);
  }

  private static int length(List<String> members) {
    return members.stream().mapToInt(member -> member.length() + 1).sum() - 1;
  }
}

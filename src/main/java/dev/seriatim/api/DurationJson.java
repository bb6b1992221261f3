package dev.seriatim.api;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Durations as ISO 8601 text only: a bare number would leave its unit to guessing. Whole days are
 * written as days ({@code P3D}), where {@link Duration#toString()} says {@code PT72H}.
 */
final class DurationJson {

  private DurationJson() {}

  static final class Reader extends StdDeserializer<Duration> {
    Reader() {
      super(Duration.class);
    }

    @Override
    public Duration deserialize(JsonParser parser, DeserializationContext context) {
      if (!parser.hasToken(JsonToken.VALUE_STRING)) {
        return (Duration)
            context.handleUnexpectedToken(context.constructType(Duration.class), parser);
      }
      String text = parser.getString();
      try {
        return Duration.parse(text);
      } catch (DateTimeParseException notIso) {
        throw context.weirdStringException(text, Duration.class, "not an ISO 8601 duration");
      }
    }
  }

  static final class Writer extends StdSerializer<Duration> {
    Writer() {
      super(Duration.class);
    }

    @Override
    public void serialize(Duration value, JsonGenerator json, SerializationContext context) {
      boolean wholeDays = value.isPositive() && value.equals(Duration.ofDays(value.toDays()));
      json.writeString(wholeDays ? "P" + value.toDays() + "D" : value.toString());
    }
  }
}

package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** W3C Trace Context, sections 3.2 and 3.3. */
class TraceContextTests {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT = "00-" + TRACE + "-b7ad6b7169203331-01";

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00, 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00
          # the random flag of level 2
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03, 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03
          # flags that are not known must not be sent on
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff, 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03
          # of a later version the part that is known
          cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
          cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what, 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
          """)
  void wellFormedIsKept(String header, String kept) {
    assertThat(TraceContext.parse(header, null)).isEqualTo(new TraceContext(kept, null));
  }

  @ParameterizedTest
  @CsvSource(
      emptyValue = "",
      textBlock =
          """
          ''
          00
          what
          # a version that is none
          ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
          0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
          # upper case
          00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01
          00-0af7651916cd43dd8448eb211c80319c-B7AD6B7169203331-01
          CC-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
          # all zero
          00-00000000000000000000000000000000-b7ad6b7169203331-01
          00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01
          # too short, too long
          00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.
          cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01what
          # not hexadecimal, not where it belongs
          00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333é-01
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x
          00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
          00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01
          00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01
          ' 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
          """)
  void malformedCountsAsNone(String header) {
    assertThat(TraceContext.parse(header, "a=1")).isNull();
  }

  @Test
  void missingIsNone() {
    assertThat(TraceContext.parse(null, "a=1")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      emptyValue = "",
      textBlock =
          """
          none                           | none
          ''                             | none
          ','                            | none
          'congo=t61rcWkgMzE'            | congo=t61rcWkgMzE
          'rojo=00f0,congo=t61'          | rojo=00f0,congo=t61
          ' rojo=00f0 ,, \tcongo=t61 '   | rojo=00f0,congo=t61
          'fw529a3039@dt=FfFf;#1'        | fw529a3039@dt=FfFf;#1
          'a=x y'                        | a=x y
          'a'                            | none
          'a='                           | none
          '=1'                           | none
          'A=1'                          | none
          'a=b=c'                        | none
          'a=1,B=2'                      | none
          'a=\r\nX-Injected: 1'          | none
          'a=é'                          | none
          """)
  void stateIsKeptOrLeftOut(@Nullable String header, @Nullable String kept) {
    TraceContext context = TraceContext.parse(PARENT, header);
    assertThat(context).isEqualTo(new TraceContext(PARENT, kept));
  }

  @Test
  void stateIsBoundedByWholeMembersTheLongOnesFirst() {
    String many = members(32, "0123456789abc");
    assertThat(TraceContext.parse(PARENT, many).tracestate())
        .hasSize(503)
        .isEqualTo(many.substring(0, many.indexOf(",k38")));
    assertThat(
            TraceContext.parse(PARENT, "long=" + "x".repeat(200) + "," + members(30, "01234567")))
        .extracting(TraceContext::tracestate)
        .isEqualTo(members(30, "01234567"));
    assertThat(TraceContext.parse(PARENT, "long=" + "x".repeat(200)).tracestate()).hasSize(205);
    assertThat(TraceContext.parse(PARENT, members(33, "1")).tracestate()).isNull();
  }

  @Test
  void childHasItsOwnPlaceInTheSameTrace() {
    TraceContext context = TraceContext.parse(PARENT, "a=1");

    TraceContext child = context.child(0x0123456789abcdefL);

    assertThat(child).isEqualTo(new TraceContext("00-" + TRACE + "-0123456789abcdef-01", "a=1"));
    assertThat(child.traceId()).isEqualTo(TRACE);
    assertThat(context.child(1).traceparent()).contains("-0000000000000001-");
  }

  @Test
  void spanAndHeadersSayTheSame() {
    TraceContext context = TraceContext.parse(PARENT, "a=1,b=2");
    SpanContext span = Span.fromContext(context.parent()).getSpanContext();

    assertThat(span.getTraceId()).isEqualTo(TRACE);
    assertThat(span.getSpanId()).isEqualTo("b7ad6b7169203331");
    assertThat(span.isSampled()).isTrue();
    assertThat(span.isRemote()).isTrue();
    assertThat(TraceContext.of(Span.wrap(span))).isEqualTo(context);
    assertThat(TraceContext.of(Span.getInvalid())).isNull();
  }

  private static String members(int count, String value) {
    return IntStream.range(10, 10 + count)
        .mapToObj(number -> "k" + number + "=" + value)
        .collect(Collectors.joining(","));
  }
}

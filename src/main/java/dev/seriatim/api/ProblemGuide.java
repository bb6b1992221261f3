package dev.seriatim.api;

/**
 * What a kind of problem means and what to do about it, for people.
 *
 * @param meaning HTML
 * @param remedy HTML
 */
record ProblemGuide(String meaning, String remedy) {

  static ProblemGuide of(ProblemType type) {
    return switch (type) {
      case INVALID_REQUEST ->
          new ProblemGuide(
              "Something in the request cannot be accepted. Nothing of it was stored.",
              "The member <code>field</code> names the field and <code>detail</code> says what would"
                  + " be right. Mend it; repeating the request as it is fails again.");
      case UNAUTHORIZED ->
          new ProblemGuide(
              "The service is configured with an API token, and the request carries none or another"
                  + " one.",
              "Send <code>Authorization: Bearer &lt;token&gt;</code> with the token that is"
                  + " configured as <code>seriatim.security.token</code>, or one of"
                  + " <code>seriatim.security.operators</code>.");
      case FORBIDDEN ->
          new ProblemGuide(
              "Without an API token the service answers only programs of its own machine. This"
                  + " request named another host, or a web site made a browser send it.",
              "Call the service as <code>localhost</code> or <code>127.0.0.1</code>, or configure"
                  + " <code>seriatim.security.token</code>.");
      case NOT_FOUND ->
          new ProblemGuide(
              "There is nothing at this path, or the thing was deleted.",
              "Check the path and the ids in it; characters such as <code>/</code> in an id are"
                  + " written percent-encoded. <code>/v3/api-docs</code> names all paths.");
      case METHOD_NOT_ALLOWED ->
          new ProblemGuide(
              "The path exists, the method is not possible there.",
              "The header <code>Allow</code> names the possible methods.");
      case NOT_ACCEPTABLE ->
          new ProblemGuide(
              "The header <code>Accept</code> excludes every form in which the answer exists.",
              "Accept <code>application/json</code>, or leave the header out.");
      case CONFLICT ->
          new ProblemGuide(
              "The id is taken: by another subscription, or by an event with other content. Or an"
                  + " operator's request no longer fits what is there, such as a head of a lane that"
                  + " is another one by now. What is there stays as it is.",
              "Use a new id, or read what is there and decide.");
      case TOO_LARGE ->
          new ProblemGuide(
              "The request is larger than the service accepts. Nothing of it was stored.",
              "Send less at once, or raise the limit that <code>detail</code> names.");
      case UNSUPPORTED_MEDIA_TYPE ->
          new ProblemGuide(
              "The header <code>Content-Type</code> is missing or names a form that is not read"
                  + " here.",
              "<code>detail</code> names what is read.");
      case TOO_MANY_REQUESTS ->
          new ProblemGuide(
              "More requests are waiting than the service lets wait. Nothing of this one was stored.",
              "Repeat it after the seconds that <code>Retry-After</code> names.");
      case INTERNAL ->
          new ProblemGuide(
              "The service met a fault of its own. The reason is in its log, not in the answer.",
              "An event may or may not have been stored: publish it again with the same id, which"
                  + " never stores it twice. Report the fault if it comes back.");
      case UNAVAILABLE ->
          new ProblemGuide(
              "The database does not answer, for example while it restarts or fails over.",
              "Repeat the request after the seconds that <code>Retry-After</code> names. Publishing"
                  + " an event again with the same id never stores it twice.");
    };
  }
}

package dev.seriatim.queue;

/** The one word that an attempt came to, as stored, listed and metered. */
public enum VerdictCode {
  /** 2xx. */
  DELIVERED,
  /** 410: the receiver says that it is gone for good. */
  GONE,
  /** The address is one that webhooks must not reach. */
  BLOCKED,
  /** 3xx; never followed. */
  REDIRECT,
  /** 4xx other than 410. */
  CLIENT_ERROR,
  /** 5xx, or anything outside 200 to 499. */
  SERVER_ERROR,
  /** The name did not resolve. */
  DNS,
  /** Nothing listens there, or there is no route. */
  CONNECT_REFUSED,
  /** No connection within the connect timeout. */
  CONNECT_TIMEOUT,
  /** The certificate or the handshake is not acceptable. */
  TLS,
  /** The total deadline passed before the answer was complete. */
  TIMEOUT,
  /** The connection ended or was reset before the answer was complete. */
  CONNECTION_LOST,
  /** The answer is not HTTP. */
  PROTOCOL
}

package dev.seriatim.delivery;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.DefaultSchemePortResolver;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.DefaultHttpClientConnectionOperator;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.routing.DefaultRoutePlanner;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.URIScheme;
import org.apache.hc.core5.http.config.RegistryBuilder;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/** Sets Apache HttpClient up to make one request and nothing more. */
final class HttpClients {

  /**
   * A connection idle for longer is probed before its next request, which takes a millisecond; a
   * busy one is not.
   */
  private static final TimeValue PROBE_AFTER = TimeValue.ofMilliseconds(20);

  /**
   * No wait of its own for a connection, the pool has no bound. Not zero: the library takes that
   * for "not even until the lease is done", which fails a request now and then.
   */
  private static final Timeout LEASE_TIMEOUT = Timeout.ofDays(1);

  private HttpClients() {}

  /**
   * No redirects, retries, cookies, authentication, decompression or proxies, and no headers but
   * those that HTTP needs: what is sent and what comes back is left as it is.
   */
  static CloseableHttpClient client(PoolingHttpClientConnectionManager connections) {
    return HttpClientBuilder.create()
        .setConnectionManager(connections)
        .setRoutePlanner(new DefaultRoutePlanner(DefaultSchemePortResolver.INSTANCE))
        .setKeepAliveStrategy(new KeepAlive())
        .setDefaultRequestConfig(
            RequestConfig.custom()
                .setAuthenticationEnabled(false)
                .setRedirectsEnabled(false)
                .setContentCompressionEnabled(false)
                .setExpectContinueEnabled(false)
                .setProtocolUpgradeEnabled(false)
                .setConnectionRequestTimeout(LEASE_TIMEOUT)
                .build())
        // The last look at the deadline, on connections new and old: after this the request is
        // written.
        .addExecInterceptorBefore(
            ChainElement.MAIN_TRANSPORT.name(),
            "deadline",
            (request, scope, chain) -> {
              Flight.CURRENT.get().write();
              return chain.proceed(request, scope);
            })
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableCookieManagement()
        .disableAuthCaching()
        .disableContentCompression()
        .disableConnectionState()
        .disableDefaultUserAgent()
        .evictExpiredConnections()
        .evictIdleConnections(TimeValue.ofSeconds(KeepAlive.LONGEST_SECONDS))
        .build();
  }

  /**
   * Pooled per endpoint and without a bound of its own: how much is in flight is decided before a
   * request comes here, and waiting for a connection would eat its deadline.
   */
  static PoolingHttpClientConnectionManager connections(
      GuardedResolver resolver, SSLContext tls, Duration connectTimeout) {
    Timeout timeout = Timeout.of(connectTimeout);
    PoolingHttpClientConnectionManager connections =
        new PoolingHttpClientConnectionManager(
            new DefaultHttpClientConnectionOperator(
                proxy -> new DialledSocket(),
                DefaultSchemePortResolver.INSTANCE,
                resolver,
                RegistryBuilder.<TlsSocketStrategy>create()
                    .register(URIScheme.HTTPS.id, new WatchedTls(tls))
                    .build()),
            PoolConcurrencyPolicy.LAX,
            PoolReusePolicy.LIFO,
            TimeValue.NEG_ONE_MILLISECOND,
            ManagedHttpClientConnectionFactory.builder()
                .http1Config(BoundedResponseParser.CONFIG)
                .responseParserFactory(unused -> new BoundedResponseParser())
                .build());
    connections.setDefaultMaxPerRoute(Integer.MAX_VALUE);
    connections.setDefaultConnectionConfig(
        ConnectionConfig.custom()
            .setConnectTimeout(timeout)
            .setSocketTimeout(Timeout.DISABLED)
            .setValidateAfterInactivity(PROBE_AFTER)
            .build());
    connections.setDefaultTlsConfig(TlsConfig.custom().setHandshakeTimeout(timeout).build());
    return connections;
  }
}

package dev.seriatim.delivery;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate authority and what it signs, made by the JDK's own keytool while a test runs. */
final class Certificates {

  private static final String PASSWORD = "changeit";

  private final Path directory;

  Certificates(Path directory) throws IOException, InterruptedException {
    this.directory = directory;
    keytool("ca", "CN=Test CA", "-ext", "bc:c", "-validity", "30");
  }

  /**
   * Makes a key and a certificate for a host name, signed by the authority.
   *
   * @param startDate as keytool takes it, for example {@code -10d}
   */
  void sign(String alias, String host, String startDate, int validDays)
      throws IOException, InterruptedException {
    keytool(
        alias,
        "CN=" + host,
        "-ext",
        "san=dns:" + host,
        "-signer",
        "ca",
        "-startdate",
        startDate,
        "-validity",
        String.valueOf(validDays));
  }

  private void keytool(String alias, String name, String... more)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-genkeypair", "-alias", alias, "-dname", name, "-keyalg", "EC"));
    command.addAll(List.of("-keystore", file().toString(), "-storepass", PASSWORD));
    command.addAll(List.of(more));
    Path log = directory.resolve("keytool.log");
    Process keytool =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
      throw new IllegalStateException(Files.readString(log));
    }
  }

  /** For a receiver that shows this certificate. */
  SSLContext serving(String alias) throws GeneralSecurityException, IOException {
    KeyStore all = load();
    KeyStore one = empty();
    one.setKeyEntry(
        alias,
        all.getKey(alias, PASSWORD.toCharArray()),
        PASSWORD.toCharArray(),
        all.getCertificateChain(alias));
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(one, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  /** For a sender that trusts what the authority signs and nothing else. */
  SSLContext trusting() throws GeneralSecurityException, IOException {
    KeyStore trusted = empty();
    trusted.setCertificateEntry("ca", load().getCertificate("ca"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private KeyStore load() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file())) {
      store.load(in, PASSWORD.toCharArray());
    }
    return store;
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private Path file() {
    return directory.resolve("store.p12");
  }
}

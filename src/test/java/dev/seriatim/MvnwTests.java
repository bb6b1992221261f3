package dev.seriatim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the real script on a made-up machine: its JDKs and Mavens are scripts that say who they are.
 */
class MvnwTests {

  private static final String DISTRIBUTION = "apache-maven-9.9.9";

  /** What any machine has; no java, no mvn. Some are another's stand-in: sha512sum and shasum. */
  private static final List<String> TOOLS =
      List.of(
          "sed",
          "cut",
          "dirname",
          "basename",
          "mkdir",
          "mktemp",
          "rm",
          "mv",
          "tar",
          "gzip",
          "sha512sum",
          "shasum",
          "curl",
          "wget");

  @TempDir Path machine;

  private final Map<String, String> environment = new HashMap<>();
  private Path bin;
  private Path jdks;
  private Path home;

  @BeforeEach
  void bareMachine() throws IOException {
    bin = Files.createDirectories(machine.resolve("bin"));
    jdks = Files.createDirectories(machine.resolve("jvm"));
    home = Files.createDirectories(machine.resolve("home of somebody"));
    Files.createDirectories(machine.resolve("project/.mvn/wrapper"));
    Files.copy(
        Path.of("mvnw"), machine.resolve("project/mvnw"), StandardCopyOption.COPY_ATTRIBUTES);
    properties("http://127.0.0.1:9/" + DISTRIBUTION + "-bin.tar.gz", "0".repeat(128));
    for (String tool : TOOLS) {
      for (String folder : List.of("/bin", "/usr/bin")) {
        if (Files.isExecutable(Path.of(folder, tool))) {
          script(bin.resolve(tool), "exec " + folder + "/" + tool + " \"$@\"");
        }
      }
    }
    environment.put("PATH", bin.toString());
    environment.put("HOME", home.toString());
    environment.put("MVNW_JDK_DIRS", jdks.toString());
  }

  @Test
  void takesJavaHomeWhenItIsRecent() throws Exception {
    maven(bin.resolve("mvn"), "3.9.0");
    jdk(jdks.resolve("a"), "25");
    environment.put("JAVA_HOME", jdk(machine.resolve("mine"), "26").toString());

    assertThat(mvnw("verify", "-Dx=a b"))
        .isEqualTo("3.9.0 on " + machine + "/mine: [verify] [-Dx=a b]\n");
  }

  @Test
  void passesOverTheOldJdksOfJavaHomeAndPath() throws Exception {
    maven(bin.resolve("mvn"), "3.9.0");
    environment.put("JAVA_HOME", jdk(jdks.resolve("jdk-17"), "17").toString());
    javaOnPath(jdk(jdks.resolve("jdk-21"), "21"));
    jdk(jdks.resolve("temurin-25"), "25");

    assertThat(mvnw()).startsWith("3.9.0 on " + jdks + "/temurin-25:");
  }

  @Test
  void takesTheJdkOfThePath() throws Exception {
    maven(bin.resolve("mvn"), "3.9.0");
    jdk(jdks.resolve("a"), "25");
    javaOnPath(jdk(machine.resolve("elsewhere"), "25"));

    assertThat(mvnw()).startsWith("3.9.0 on " + machine + "/elsewhere:");
  }

  @Test
  void findsTheJdksOfSdkmanAndMacOs() throws Exception {
    maven(bin.resolve("mvn"), "3.9.0");
    Path sdkman = jdk(home.resolve(".sdkman/candidates/java/25-tem"), "25");
    assertThat(mvnw()).startsWith("3.9.0 on " + sdkman + ":");

    Path mac = jdk(jdks.resolve("temurin-25.jdk/Contents/Home"), "25");
    assertThat(mvnw()).startsWith("3.9.0 on " + mac + ":");
  }

  @Test
  void asksTheCompilerOfAJdkThatHasNoReleaseFile() throws Exception {
    maven(bin.resolve("mvn"), "3.9.0");
    Files.delete(jdk(jdks.resolve("a"), "17").resolve("release"));
    Files.delete(jdk(jdks.resolve("b"), "25").resolve("release"));

    assertThat(mvnw()).startsWith("3.9.0 on " + jdks + "/b:");
  }

  @Test
  void passesOverARuntimeWithoutCompiler() throws Exception {
    maven(bin.resolve("mvn"), "3.9.0");
    Files.delete(jdk(jdks.resolve("a-jre"), "25").resolve("bin/javac"));

    assertThat(mvnw()).contains("JDK 25 or newer");
  }

  @Test
  void saysWhatToInstallWhenThereIsNoRecentJdk() throws Exception {
    maven(bin.resolve("mvn"), "3.9.0");
    javaOnPath(jdk(jdks.resolve("jdk-17"), "17"));

    assertThat(mvnw())
        .startsWith("mvnw: Seriatim is built with a JDK 25 or newer, and none was found")
        .contains("Install one", "JAVA_HOME")
        .endsWith("exit 1");
  }

  @Test
  void prefersTheNamedDistributionToAnInstalledMaven() throws Exception {
    jdk(jdks.resolve("a"), "25");
    maven(bin.resolve("mvn"), "3.9.0");
    // As Maven's own wrapper names the folder.
    maven(home.resolve(".m2/wrapper/dists/" + DISTRIBUTION + "/3a1b9c/bin/mvn"), "9.9.9");

    assertThat(mvnw()).startsWith("9.9.9 on ");
  }

  @Test
  void acceptsTheOldestMavenThatIsRecentEnough() throws Exception {
    jdk(jdks.resolve("a"), "25");
    maven(bin.resolve("mvn"), "3.6.3");

    assertThat(mvnw()).startsWith("3.6.3 on ");
  }

  @Test
  void downloadsTheDistributionOnceWhenTheInstalledMavenIsTooOld() throws Exception {
    jdk(jdks.resolve("a"), "25");
    maven(bin.resolve("mvn"), "3.6.2");
    byte[] archive = archive();
    HttpServer server = serve(archive);
    try {
      properties(address(server), sha512(archive));
      assertThat(mvnw("-v"))
          .contains("mvnw: downloading " + address(server))
          .contains("9.9.9 on " + jdks + "/a: [-v]\n");
    } finally {
      server.stop(0);
    }

    assertThat(mvnw("-v")).isEqualTo("9.9.9 on " + jdks + "/a: [-v]\n");
  }

  @Test
  void refusesADistributionWithAnotherChecksum() throws Exception {
    jdk(jdks.resolve("a"), "25");
    byte[] archive = archive();
    HttpServer server = serve(archive);
    try {
      properties(address(server), "0".repeat(128));
      assertThat(mvnw())
          .contains("is " + sha512(archive) + ", not " + "0".repeat(128) + ": refused.")
          .endsWith("exit 1");
    } finally {
      server.stop(0);
    }

    assertThat(files(home)).isEmpty();
  }

  @Test
  void saysWhatToDoWhenTheDistributionCannotBeHad() throws Exception {
    jdk(jdks.resolve("a"), "25");

    assertThat(mvnw())
        .contains("could not download http://127.0.0.1:9/", "install a Maven 3.6.3 or newer")
        .endsWith("exit 1");
    assertThat(files(home)).isEmpty();
  }

  @Test
  void namesADistributionOfApachesArchiveAndItsChecksum() throws IOException {
    assertThat(Files.readString(Path.of(".mvn/wrapper/maven-wrapper.properties")))
        .containsPattern(
            "(?m)^distributionUrl=https://archive.apache.org/dist/maven/\\S+-bin.tar.gz$")
        .containsPattern("(?m)^distributionSha512Sum=[0-9a-f]{128}$");
  }

  /** What the script and the Maven that it starts print, and the exit status unless that is 0. */
  private String mvnw(String... arguments) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Stream.concat(Stream.of(machine + "/project/mvnw"), Stream.of(arguments)).toList());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return process.exitValue() == 0 ? output : output + "exit " + process.exitValue();
  }

  private Path jdk(Path folder, String version) throws IOException {
    script(folder.resolve("bin/javac"), "echo 'javac " + version + ".0.1'");
    Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"" + version + ".0.1\"\n");
    return folder;
  }

  /** As the real one does, prints its properties to the error stream. */
  private void javaOnPath(Path jdk) throws IOException {
    script(bin.resolve("java"), "echo '    java.home = " + jdk + "' >&2");
  }

  private static void maven(Path file, String version) throws IOException {
    script(
        file,
        """
        if [ "${1:-}" = --version ]; then echo 'Apache Maven %1$s (abc)'; exit; fi
        printf '%%s' "%1$s on $JAVA_HOME:"; printf ' [%%s]' "$@"; echo"""
            .formatted(version));
  }

  private static void script(Path file, String body) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + body + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private void properties(String url, String checksum) throws IOException {
    Files.writeString(
        machine.resolve("project/.mvn/wrapper/maven-wrapper.properties"),
        "distributionUrl=" + url + "\ndistributionSha512Sum=" + checksum + "\n");
  }

  private byte[] archive() throws Exception {
    maven(machine.resolve(DISTRIBUTION + "/bin/mvn"), "9.9.9");
    Path archive = machine.resolve("archive.tar.gz");
    Process tar =
        new ProcessBuilder("tar", "-czf", archive.toString(), DISTRIBUTION)
            .directory(machine.toFile())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    return Files.readAllBytes(archive);
  }

  private static HttpServer serve(byte[] body) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static String address(HttpServer server) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/" + DISTRIBUTION + "-bin.tar.gz";
  }

  private static String sha512(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(bytes));
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      return paths.filter(Files::isRegularFile).toList();
    }
  }
}

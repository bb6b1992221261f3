package dev.seriatim.delivery;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * Processor time used so far: what a delivery costs, whoever else is busy on the machine. Processes
 * that have ended, such as autovacuum's, are not in it, nor is a PostgreSQL in a container.
 *
 * @param service this process: the service, and the little that the benchmark does beside it
 */
record CpuTime(Duration service, Duration postgres, Duration nginx) {

  /**
   * @param backend a process of the PostgreSQL server; its parent has started all the others
   */
  static CpuTime now(long backend) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new CpuTime(
        Duration.ofNanos(system.getProcessCpuTime()),
        ProcessHandle.of(backend)
            .flatMap(ProcessHandle::parent)
            .map(server -> children(server, "postgres"))
            .orElse(Duration.ZERO),
        children(ProcessHandle.current(), "nginx"));
  }

  CpuTime since(CpuTime start) {
    return new CpuTime(
        service.minus(start.service), postgres.minus(start.postgres), nginx.minus(start.nginx));
  }

  private static Duration children(ProcessHandle of, String program) {
    return of.descendants()
        .filter(child -> child.info().command().orElse("").contains(program))
        .map(child -> child.info().totalCpuDuration().orElse(Duration.ZERO))
        .reduce(Duration.ZERO, Duration::plus);
  }
}

/**
 * Milliseconds of CPU time that this thread needs for some work. A time limit of a test is compared with CPU time, because
 * a busy machine can take the processor away for any time.
 */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Returns the milliseconds of processor time that `act` takes in this process. Unlike wall time, it does not depend on the
 * other programs of a busy machine.
 */
export function measureCpuMs(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

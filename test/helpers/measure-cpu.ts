/**
 * The milliseconds of processor time that `act` takes in this process. A bound on it holds on a busy machine too, where
 * the clock on the wall says more about the neighbours.
 */
export function measureCpuMs(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

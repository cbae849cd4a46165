import { OPTIONS } from '../../src/config/options/options.ts';
import { LIMITS_PER_MINUTE } from '../../src/ingress/limits.ts';
import { type DaemonProcess, startTestDaemon, type TestDaemonOptions } from '../../test/helpers/test-daemon.ts';

/** The largest rate that each limit accepts, because a benchmark measures deliveries and not their rejection. */
const LARGEST_LIMITS = Object.fromEntries(
  LIMITS_PER_MINUTE.map((limit) => [limit, OPTIONS[`limits.${limit}`].type.max]),
);

/**
 * Starts the built daemon with the largest limits of rates. It is killed at the end of this process, so that a benchmark that
 * fails leaves none behind.
 */
export async function startBenchDaemon({ config, ...options }: TestDaemonOptions): Promise<DaemonProcess> {
  const limits = { ...LARGEST_LIMITS, ...(config.limits as Record<string, unknown> | undefined) };
  const daemon = await startTestDaemon({ config: { ...config, limits }, ...options });
  const kill = () => void daemon.end('SIGKILL');
  process.once('exit', kill);
  void daemon.exited.then(() => process.off('exit', kill));
  return daemon;
}

/** Ends the daemon as an operator would. Rejects with its output if it does not end cleanly. */
export async function endBenchDaemon(daemon: DaemonProcess): Promise<void> {
  const code = await daemon.end('SIGTERM');
  if (code !== 0) throw new Error(`the daemon ended with ${code}:\n${daemon.output()}`);
}

import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../../test/helpers/test-daemon.ts';

/** Starts the built daemon. It is killed at the end of this process, so that a benchmark that fails leaves none behind. */
export async function startBenchDaemon(options: TestDaemonOptions): Promise<TestDaemon> {
  const daemon = await startTestDaemon(options);
  const kill = () => void daemon.end('SIGKILL');
  process.once('exit', kill);
  void daemon.exited.then(() => process.off('exit', kill));
  return daemon;
}

/** Ends the daemon as an operator would. Rejects with its output if it does not end cleanly. */
export async function endBenchDaemon(daemon: TestDaemon): Promise<void> {
  const code = await daemon.end('SIGTERM');
  if (code !== 0) throw new Error(`the daemon ended with ${code}:\n${daemon.output()}`);
}

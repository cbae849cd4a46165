import { setTimeout as pause } from 'node:timers/promises';
import type { RunId } from '../../core/ids.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { machineNowMs } from '../../core/time/machine-time.ts';
import { endLeftovers } from '../command/leftovers.ts';
import { endContainerOf } from '../container/container-leftovers.ts';
import { ContainerEngine } from '../container/engine.ts';
import type { EndMeans, WatchMessage } from './run-watchdog.ts';

/** A process that starts at the moment at which the lease ends is found by the next look. */
const LOOK_AGAIN_MS = 500;

/**
 * The task of the process that `WatchdogProcess` starts: it ends the processes of runs when the daemon has ended, or does not
 * renew the lease of its runs. The process ends when the daemon has ended and no process is left.
 */
export function watchRuns(logger: Logger): void {
  const watched = new Map<RunId, EndMeans>();
  let until = 0;
  let timer: NodeJS.Timeout | undefined;
  let isEnding = false;

  process.on('message', (message: WatchMessage) => {
    if (message.kind === 'watch') watched.set(message.run, message.means);
    else if (message.kind === 'release') watched.delete(message.run);
    else until = message.at;
    setTimer();
  });
  process.once('disconnect', async () => {
    logEnds('the daemon ended');
    await endAll();
    process.exit(0);
  });
  // The daemon decides when it stops. These signals reach the whole process group of a terminal.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

  function setTimer(): void {
    clearTimeout(timer);
    if (watched.size > 0) timer = setTimeout(onTimer, Math.max(0, until - machineNowMs()));
  }

  function onTimer(): void {
    if (machineNowMs() < until) setTimer();
    else if (!isEnding) void endWhileLost();
  }

  /** Until the lease is renewed, or the daemon knows that no process of the runs is left. */
  async function endWhileLost(): Promise<void> {
    isEnding = true;
    logEnds('the lease of the runs was not renewed');
    while (watched.size > 0 && machineNowMs() >= until) {
      await endAll();
      await pause(LOOK_AGAIN_MS);
    }
    isEnding = false;
    setTimer();
  }

  function logEnds(why: string): void {
    for (const run of watched.keys()) logger.warn({ run, why }, 'ending the processes of a run');
  }

  async function endAll(): Promise<void> {
    await Promise.all([...watched.values()].map(end));
  }

  async function end(means: EndMeans): Promise<void> {
    if (means.type === 'command') return endLeftovers(means.payload, 0);
    await endContainerOf(means.attempt, new ContainerEngine(means.engine, means.environment, logger), 0);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { RunId } from '../../../domain/ids.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { machineNowMs } from '../../../domain/time/machine-time.ts';
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
  /** As in `WatchMessage`; under `null` for all runs without a separate time. */
  const until = new Map<RunId | null, number>();
  let timer: NodeJS.Timeout | undefined;
  let isEnding = false;

  process.on('message', (message: WatchMessage) => {
    if (message.kind === 'watch') {
      watched.set(message.run, message.means);
    } else if (message.kind === 'release') {
      watched.delete(message.run);
      until.delete(message.run);
    } else {
      until.set(message.run, message.at);
    }
    setTimer();
  });
  process.once('disconnect', async () => {
    await endAll([...watched], 'the program that started it ended');
    process.exit(0);
  });
  // The daemon decides when it stops. These signals reach the whole process group of a terminal.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

  function untilOf(run: RunId): number {
    return until.get(run) ?? until.get(null) ?? 0;
  }

  function setTimer(): void {
    clearTimeout(timer);
    if (watched.size === 0) return;
    const next = Math.min(...[...watched.keys()].map(untilOf));
    timer = setTimeout(onTimer, Math.max(0, next - machineNowMs()));
  }

  function onTimer(): void {
    if (findLost().length === 0) setTimer();
    else if (!isEnding) void endLost();
  }

  function findLost(): [RunId, EndMeans][] {
    return [...watched].filter(([run]) => machineNowMs() >= untilOf(run));
  }

  /** Until the leases are renewed, or the daemon knows that no process of the runs is left. */
  async function endLost(): Promise<void> {
    isEnding = true;
    let lost = findLost();
    logEnds(lost, 'its lease was not renewed');
    while (lost.length > 0) {
      await Promise.all(lost.map(([, means]) => end(means)));
      await pause(LOOK_AGAIN_MS);
      lost = findLost();
    }
    isEnding = false;
    setTimer();
  }

  async function endAll(runs: readonly [RunId, EndMeans][], why: string): Promise<void> {
    logEnds(runs, why);
    await Promise.all(runs.map(([, means]) => end(means)));
  }

  function logEnds(runs: readonly [RunId, EndMeans][], why: string): void {
    for (const [run] of runs) logger.warn({ run, why }, 'ending the processes of a run');
  }

  async function end(means: EndMeans): Promise<void> {
    if (means.type === 'command') return endLeftovers(means.payload, 0);
    await endContainerOf(means.attempt, new ContainerEngine(means.engine, means.environment, logger), 0);
  }
}

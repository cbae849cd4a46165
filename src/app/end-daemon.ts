import type { AppError } from '../domain/errors.ts';
import type { Logger } from '../domain/ports/logger.ts';
import { pause } from '../domain/time/backoff.ts';
import { formatDuration } from '../domain/words/quantities.ts';
import type { Health } from '../operations/health/health.ts';
import type { ServiceNotifier } from '../operations/systemd/service-notifier.ts';
import type { Parts } from '../platform/parts.ts';
import type { Dispatcher } from '../runs/dispatcher.ts';
import type { Reload } from './reload.ts';

/**
 * How a daemon stops.
 * - `drain`: running commands may continue for `drain`, then they have `shutdownGrace` between SIGTERM and SIGKILL.
 * - `now`: running commands have `shutdownGrace`.
 * - `force`: running commands get SIGKILL, open requests have a second. It also shortens a stop that is in progress.
 */
export type StopMode = 'drain' | 'now' | 'force';

/** The end of a daemon, for its caller. */
export interface DaemonEnd {
  /** Stops cleanly, by default `now`; later calls share the first one. */
  stop(mode?: StopMode): Promise<void>;
  /** Resolves with the exit code when the daemon has ended: 0 after `stop`, 1 when it had to give up. */
  exited: Promise<number>;
}

export interface EndParts {
  health: Health;
  dispatcher: Pick<Dispatcher, 'drain' | 'finish' | 'stop'>;
  limits: { drainMs: number; shutdownGraceMs: number };
  service: Pick<ServiceNotifier, 'stopping' | 'status' | 'extendTimeout'>;
  parts: Pick<Parts<Reload>, 'stop'>;
  /** Aborted when the listeners must not wait longer for open requests: at `force`, and when `drain` has passed. */
  hurry: AbortController;
  /** Resolves when the storage can no longer store anything durably. */
  broken: Promise<AppError>;
  logger: Logger;
}

/** Time for the listeners and the storage after the last command. */
const CLOSING_MS = 30_000;

/** A broken storage ends the daemon, too: it becomes not ready, accepts nothing more and exits with 1. */
export function watchEnd(parts: EndParts): DaemonEnd {
  const { health, hurry, broken, logger } = parts;
  const force = new AbortController();
  let ending: Promise<number> | null = null;
  let resolveExited!: (code: number) => void;
  const exited = new Promise<number>((resolve) => {
    resolveExited = resolve;
  });
  const end = (code: number, mode: StopMode) => {
    if (mode === 'force') {
      force.abort();
      hurry.abort();
    }
    ending ??= endCleanly(parts, { code, mode, force: force.signal });
    return ending.then(resolveExited);
  };
  void broken.then((error) => {
    health.fail(error.message);
    logger.error({ err: error }, 'storage broken; the daemon stops, start it again to recover');
    return end(1, 'now');
  });
  return { stop: (mode = 'now') => end(0, mode), exited };
}

interface Ending {
  code: number;
  mode: StopMode;
  force: AbortSignal;
}

/** Resolves with the exit code: `code`, or 1 if something could not be stopped. */
async function endCleanly(parts: EndParts, { code, mode, force }: Ending): Promise<number> {
  const { health, service, hurry, logger } = parts;
  logger.info({ mode }, 'daemon stopping');
  service.stopping();
  try {
    // Deliveries are accepted until no command runs. The next daemon starts their runs.
    await endRuns(parts, mode, force);
    health.fail('the daemon is stopping');
    await parts.parts.stop({ hurry: hurry.signal });
  } catch (error) {
    logger.error({ err: error }, 'daemon not stopped cleanly');
    return 1;
  }
  logger.info({}, 'daemon stopped');
  return code;
}

async function endRuns(parts: EndParts, mode: StopMode, force: AbortSignal): Promise<void> {
  const { dispatcher, limits, hurry } = parts;
  const { drainMs, shutdownGraceMs } = limits;
  let why = 'the daemon stopped';
  if (mode === 'drain') {
    const isFinished = await waitForRuns(parts, force);
    if (!isFinished && !force.aborted) why = `the daemon stopped, and drain (${formatDuration(drainMs)}) had passed`;
    if (!isFinished && dispatcher.drain.state().executing > 0) hurry.abort();
  }
  await dispatcher.stop({ graceMs: shutdownGraceMs, why, hurry: force });
}

/** Resolves with `false` if runs are left after `drainMs`, or when `force` aborts. */
async function waitForRuns({ dispatcher, limits, service, logger }: EndParts, force: AbortSignal): Promise<boolean> {
  const { drainMs, shutdownGraceMs } = limits;
  const { executing } = dispatcher.drain.state();
  if (executing > 0) {
    const drain = formatDuration(drainMs);
    logger.info({ executing, drain }, 'waiting for running commands; SIGTERM ends the wait');
    service.status(`waiting for ${executing} running commands, at most ${drain}`);
    service.extendTimeout(drainMs + shutdownGraceMs + CLOSING_MS);
  }
  const ended = new AbortController();
  const finished = dispatcher.finish().then(() => true);
  const waited = pause(drainMs, AbortSignal.any([force, ended.signal])).then(() => false);
  const isFinished = await Promise.race([finished, waited]);
  ended.abort();
  return isFinished;
}

import { spawn } from 'node:child_process';
import { messageOf } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { type CancelCall, scheduleCall } from '../../domain/time/schedule.ts';

/** Reports the state of the daemon to systemd (sd_notify(3)). Every call returns immediately, and messages keep their order. */
export interface ServiceNotifier {
  /** The daemon accepts requests, also after a reload. */
  ready(): void;
  /** A reload has begun. `ready` ends it, also if the reload failed. */
  reloading(): void;
  /** The daemon has begun to stop. Only the first call has an effect. */
  stopping(): void;
  /** One line for `systemctl status`. Of several texts within two seconds, the last one is sent. */
  status(text: string): void;
  /** The current start, reload or stop may take this time from now on, even if the unit permits less. */
  extendTimeout(ms: number): void;
  /** Ends the watchdog messages. Resolves when all messages are sent. */
  close(): Promise<void>;
}

interface ServiceNotifierParts {
  /** With the variables of systemd: `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`. */
  env: Environment;
  /** Process ID of the daemon. */
  pid: number;
  logger: Logger;
}

/** systemd-notify waits until systemd has read the message. */
const SEND_TIMEOUT_MS = 10_000;
/** A status changes with each pass of each factory, and each message starts a process. */
const STATUS_INTERVAL_MS = 2_000;
/** The longest interval of a Node.js timer. */
const MAX_INTERVAL_MS = 2 ** 31 - 1;

/** Without `NOTIFY_SOCKET`, its calls have no effect. */
export function createServiceNotifier({ env, pid, logger }: ServiceNotifierParts): ServiceNotifier {
  const messages = new MessageQueue(env, logger);
  const pings = startPings(readPingIntervalMs(env, pid), messages);
  const statuses = new StatusLine((text) => messages.add(`STATUS=${text}`));
  let isStopping = false;
  return {
    ready: () => messages.add('READY=1'),
    reloading: () => messages.add('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1_000n}`),
    stopping: () => {
      if (!isStopping) messages.add('STOPPING=1');
      isStopping = true;
    },
    status: (text) => statuses.show(text.replaceAll(/\s+/g, ' ')),
    extendTimeout: (ms) => messages.add(`EXTEND_TIMEOUT_USEC=${Math.ceil(ms * 1_000)}`),
    close: () => {
      clearInterval(pings);
      statuses.close();
      return messages.sent();
    },
  };
}

/** Half of the interval that systemd demands; `null` if this process has no watchdog. */
function readPingIntervalMs({ NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID }: Environment, pid: number): number | null {
  const limitMs = Number(WATCHDOG_USEC) / 1_000;
  const isForThis = WATCHDOG_PID === undefined || WATCHDOG_PID === String(pid);
  if (!NOTIFY_SOCKET || !isForThis || !(limitMs > 0)) return null;
  return Math.min(limitMs / 2, MAX_INTERVAL_MS);
}

/** A blocked main thread sends no ping, and systemd then restarts the daemon. */
function startPings(intervalMs: number | null, messages: MessageQueue): NodeJS.Timeout | undefined {
  if (intervalMs === null) return undefined;
  return setInterval(() => messages.add('WATCHDOG=1'), intervalMs).unref();
}

/** Limits how often a status is sent. The last text is sent in any case, and no text twice in a row. */
class StatusLine {
  readonly #send: (text: string) => void;
  #sent = '';
  #latest = '';
  #cancelPause: CancelCall | null = null;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  show(text: string): void {
    this.#latest = text;
    if (this.#cancelPause === null) this.#sendLatest();
  }

  /** Sends what waits. */
  close(): void {
    this.#cancelPause?.();
    this.#sendLatest();
    this.#cancelPause?.();
  }

  #sendLatest(): void {
    this.#cancelPause = null;
    if (this.#latest === this.#sent) return;
    this.#sent = this.#latest;
    this.#send(this.#latest);
    this.#cancelPause = scheduleCall(STATUS_INTERVAL_MS, () => this.#sendLatest());
  }
}

/**
 * Sends one message after another. Node.js has no Unix datagram sockets, so the program `systemd-notify` sends each of
 * them. A unit therefore needs `NotifyAccess=all`: the message comes from a child process.
 */
class MessageQueue {
  readonly #env: Environment;
  readonly #logger: Logger;
  readonly #waiting: string[][] = [];
  #sending: Promise<void> | null = null;
  #hasFailed = false;

  constructor(env: Environment, logger: Logger) {
    this.#env = env;
    this.#logger = logger;
  }

  /** @param assignments as sd_notify(3) defines them, for example `READY=1` */
  add(...assignments: string[]): void {
    if (!this.#env.NOTIFY_SOCKET) return;
    this.#waiting.push(assignments);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when nothing waits. */
  async sent(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const problem = await sendMessage(next, this.#env);
      if (problem !== null && !this.#hasFailed) this.#warn(problem);
      this.#hasFailed = problem !== null;
    }
    this.#sending = null;
  }

  #warn(problem: string): void {
    const hint = 'install systemd-notify, or remove Type=notify from the unit';
    this.#logger.warn({ problem, hint }, 'systemd not notified');
  }
}

/** Resolves with the problem, or `null`. */
function sendMessage(assignments: readonly string[], { NOTIFY_SOCKET, PATH }: Environment): Promise<string | null> {
  return new Promise((resolve) => {
    try {
      const child = spawn('systemd-notify', assignments, {
        env: { NOTIFY_SOCKET, PATH, NODE_V8_COVERAGE: undefined },
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: SEND_TIMEOUT_MS,
      });
      let output = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      child.once('error', (error) => resolve(messageOf(error)));
      child.once('close', (code) => resolve(code === 0 ? null : `systemd-notify failed: ${output.trim()}`));
    } catch (error) {
      resolve(messageOf(error));
    }
  });
}

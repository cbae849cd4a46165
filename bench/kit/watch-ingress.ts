import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AskOrder, AskReport, AskRequest } from './ask-ingress.ts';

/** A process that asks the ingress listener about every millisecond. */
export interface IngressWatch {
  /** Sends another request from now on. */
  setRequest(request: AskRequest): void;
  /** Resolves to the monotonic time in milliseconds at which the current request was first answered with this status. */
  untilStatus(status: string, timeoutMs?: number): Promise<number>;
  /** The longest wait since the last call. */
  read(): Promise<{ longestMs: number; latenessMs: number; answers: number }>;
  stop(): void;
}

const WAIT_MS = 120_000;

/** Answered without storing anything. */
export const PROBE: AskRequest = { method: 'GET', path: '/healthz' };

/** Starts asking and resolves at the first answer. */
export async function watchIngress(port: number, request: AskRequest = PROBE): Promise<IngressWatch> {
  const child = fork(fileURLToPath(new URL('ask-ingress.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] });
  const send = (order: AskOrder) => void child.send(order);
  let latest: { status: string; atMs: number } | null = null;
  const stop = () => void child.kill();
  process.once('exit', stop);
  let failure: string | null = null;
  child.on('message', (one: AskReport) => {
    if (one.kind === 'status') latest = one;
    if (one.kind === 'failed') failure = one.message;
  });
  const requireRunning = () => {
    if (failure !== null) throw new Error(failure);
  };
  const watch: IngressWatch = {
    setRequest(next) {
      latest = null;
      send({ kind: 'request', request: next });
    },
    untilStatus: async (status, timeoutMs = WAIT_MS) => {
      requireRunning();
      if (latest?.status === status) return latest.atMs;
      const seen = await waitFor(child, (one) => one.kind === 'status' && one.status === status, timeoutMs);
      return (seen as AskReport & { kind: 'status' }).atMs;
    },
    async read() {
      requireRunning();
      const answered = waitFor(child, (one) => one.kind === 'longest', WAIT_MS);
      send({ kind: 'read' });
      return (await answered) as AskReport & { kind: 'longest' };
    },
    stop,
  };
  const first = waitFor(child, (one) => one.kind === 'status', WAIT_MS);
  send({ kind: 'start', port, request });
  await first;
  return watch;
}

/** Rejects if the watching process reports a failure or ends. */
function waitFor(child: ChildProcess, isExpected: (one: AskReport) => boolean, timeoutMs: number): Promise<AskReport> {
  return new Promise((resolve, reject) => {
    const fail = (message: string) => end(() => reject(new Error(message)));

    const timer = setTimeout(
      () => fail(`the ingress did not answer as expected within ${timeoutMs} ms; last seen ${JSON.stringify(seen)}`),
      timeoutMs,
    );
    const onExit = () => fail('the process that asks the ingress ended');
    let seen: AskReport | null = null;
    const onMessage = (one: AskReport) => {
      seen = one;
      if (one.kind === 'failed') fail(one.message);
      else if (isExpected(one)) end(() => resolve(one));
    };
    const end = (settle: () => void) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      settle();
    };
    child.on('message', onMessage).on('exit', onExit);
  });
}

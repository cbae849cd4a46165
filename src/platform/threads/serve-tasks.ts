import { parentPort } from 'node:worker_threads';
import { AppError } from '../../domain/errors.ts';
import { copyError, PendingCalls, type Reply } from './pending-calls.ts';
import type { HostCall, HostReply, StepMessage } from './task-thread.ts';
import { countCpuMs, type RequestMessage } from './worker-calls.ts';

/** Names the step that begins, for the time limits of steps; `null` ends the steps. */
type OnStep = (step: string | null) => void;

/**
 * Runs the tasks that a `TaskThread` sends to this worker thread. `host` calls the functions that the options of the
 * `TaskThread` name; arguments and results are copied.
 */
export function serveTasks<Task, Result, Host extends object = object>(
  perform: (task: Task, onStep: OnStep, host: Host) => Result | Promise<Result>,
): void {
  const post = (message: Reply | StepMessage | HostCall) => parentPort!.postMessage(message);
  const hostCalls = new PendingCalls();
  const host = createHost<Host>(hostCalls, post);
  const answer = async ({ id, request }: RequestMessage<Task>) => {
    try {
      post({ id, value: await perform(request, (name) => post(describeStep(name)), host) });
    } catch (error) {
      // Anything else is a defect: it ends the thread, and the other side reports it.
      if (!(error instanceof AppError)) throw error;
      post({ id, error: copyError(error) });
    }
  };
  parentPort!.on('message', (message: RequestMessage<Task> | HostReply) => {
    if ('hostReply' in message) hostCalls.settle(message.hostReply);
    else void answer(message);
  });
}

function describeStep(name: string | null): StepMessage {
  return { step: name === null ? null : { name, atMs: countCpuMs(process.threadCpuUsage()) } };
}

function createHost<Host extends object>(calls: PendingCalls, post: (call: HostCall) => void): Host {
  const callByName =
    (name: string | symbol) =>
    (...args: unknown[]) =>
      calls.open((hostCall) => post({ hostCall, name: String(name), args }));
  return new Proxy({} as Host, { get: (_target, name) => callByName(name) });
}

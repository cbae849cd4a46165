import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../domain/errors.ts';
import { TaskThread, type TaskThreadOptions } from './task-thread.ts';
import { WorkerCalls } from './worker-calls.ts';

const SERVE_TASKS = new URL('./serve-tasks.ts', import.meta.url).href;
const ERRORS = new URL('../../domain/errors.ts', import.meta.url).href;

/** A module that runs as a thread. */
function createModule(code: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

const WORKER = createModule(`
import { AppError } from ${JSON.stringify(ERRORS)};
import { serveTasks } from ${JSON.stringify(SERVE_TASKS)};
let count = 0;
serveTasks(async (task, onStep, host) => {
  count += 1;
  if (task === 'count') return count;
  if (task === 'conflict') throw new AppError('conflict', 'no', { details: { why: 1 } });
  if (task === 'ask') return host.double(21);
  if (task === 'ask and fail') return host.fail();
  if (task === 'hang') return new Promise(() => {});
  throw new Error('a defect');
});
`);

let thread: TaskThread<string, unknown>;
afterEach(() => thread?.close());

function start(options: Partial<TaskThreadOptions> = {}) {
  thread = new TaskThread(WORKER, { timeoutMs: 20_000, failure: 'it failed', ...options });
  return thread;
}

describe('TaskThread', () => {
  it('rejects with the code, message and details of the task’s error', async () => {
    const error = await start()
      .run('conflict')
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'conflict', message: 'no', details: { why: 1 } });
  });

  it('starts again after a defect ended the thread, for the tasks that wait', async () => {
    start();
    const broken = thread.run('defect');
    const waiting = thread.run('count');
    await expect(broken).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining('a defect') });
    expect(await waiting).toBe(1);
  });

  it('rejects tasks beyond its bound with too_many_requests', async () => {
    start({ maxWaiting: 1, tooMany: 'Too many.' });
    const tasks = ['count', 'count', 'count'].map((task) => thread.run(task));
    await expect(tasks[2]).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(await Promise.all(tasks.slice(0, 2))).toEqual([1, 2]);
  });

  it('ends when it is idle and starts again with the next task', async () => {
    start({ idleMs: 0 });
    expect([await thread.run('count'), await thread.run('count')]).toEqual([1, 1]);
  });

  it('lets a task call its host', async () => {
    const host = {
      double: async (value: number) => value * 2,
      fail: async () => {
        throw new AppError('not_found', 'nothing there');
      },
    };
    start({ host });
    expect(await thread.run('ask')).toBe(42);
    await expect(thread.run('ask and fail')).rejects.toMatchObject({ code: 'not_found', message: 'nothing there' });
  });

  it('rejects the current task and those that wait when it closes', async () => {
    start();
    const tasks = ['hang', 'count'].map((task) => thread.run(task));
    const ends = Promise.allSettled(tasks);
    await new Promise((resolve) => setImmediate(resolve));
    await thread.close();
    expect((await ends).map((end) => end.status === 'rejected' && end.reason.code)).toEqual([
      'shutting_down',
      'shutting_down',
    ]);
    await expect(thread.run('count')).rejects.toMatchObject({ code: 'shutting_down' });
  });
});

describe('WorkerCalls', () => {
  const ECHO = createModule(`
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, request }) => {
  if (request === 'exit') process.exit(3);
  parentPort.postMessage({ id, value: request.bytes.byteLength });
});
`);

  function call() {
    const worker = new Worker(ECHO);
    return new WorkerCalls<unknown>(worker, {
      describeEnd: (end) => new AppError('storage_unavailable', JSON.stringify(end)),
    });
  }

  it('transfers buffers without a copy', async () => {
    const calls = call();
    const bytes = new Uint8Array(1024);
    expect(await calls.call({ bytes }, [bytes.buffer])).toBe(1024);
    expect(bytes.byteLength).toBe(0);
    await calls.terminate(new AppError('internal', 'the test has ended'));
  });

  it('rejects open and later calls when the thread ends', async () => {
    const calls = call();
    const ended = { code: 'storage_unavailable', message: '{"exitCode":3}' };
    await expect(calls.call('exit')).rejects.toMatchObject(ended);
    await expect(calls.call({ bytes: new Uint8Array(1) })).rejects.toMatchObject(ended);
    await calls.exited;
  });

  it('rejects a request that cannot be copied', async () => {
    const calls = call();
    await expect(calls.call(() => {})).rejects.toThrow(/could not be cloned/);
    await calls.terminate(new AppError('internal', 'the test has ended'));
  });
});

import { describe, expect, it } from 'vitest';
import { TaskQueue } from './task-queue.ts';

/** Tasks that the test ends, and the order in which they began. */
function createTasks() {
  const began: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const task = (number: number) => () =>
    new Promise<number>((resolve, reject) => {
      began.push(number);
      ends[number] = (error) => (error === undefined ? resolve(number) : reject(error));
    });
  return { began, ends, task };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('TaskQueue', () => {
  it('runs one task after another in the order of arrival', async () => {
    const { began, ends, task } = createTasks();
    const queue = new TaskQueue();
    const results = Promise.all([0, 1, 2].map((number) => queue.run(task(number))));
    for (const number of [0, 1, 2]) {
      await nextTurn();
      expect(began).toHaveLength(number + 1);
      ends[number]!();
    }
    expect(await results).toEqual([0, 1, 2]);
    expect(began).toEqual([0, 1, 2]);
  });

  it('never begins a task during the call that adds it', async () => {
    const { began, ends, task } = createTasks();
    const done = new TaskQueue().run(task(0));
    expect(began).toEqual([]);
    await nextTurn();
    ends[0]!();
    await done;
  });

  it('rejects with the error of a task and continues with the next one', async () => {
    const queue = new TaskQueue();
    const failing = queue.run(async () => {
      throw new Error('broken');
    });
    const next = queue.run(() => 'done');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });

  it('rejects beyond its bounds with too_many_requests', async () => {
    const { ends, task } = createTasks();
    const queue = new TaskQueue({ concurrency: 2, maxWaiting: 1, tooMany: 'Too many plans are running.' });
    const accepted = [0, 1, 2].map((number) => queue.run(task(number)));
    await expect(queue.run(task(3))).rejects.toMatchObject({
      code: 'too_many_requests',
      message: 'Too many plans are running. Try again in a few seconds.',
      details: { retryAfterSeconds: 2 },
    });
    await nextTurn();
    ends[0]!();
    await nextTurn();
    for (const number of [1, 2]) ends[number]!();
    expect(await Promise.all(accepted)).toEqual([0, 1, 2]);
  });

  it('is idle only when every task has ended', async () => {
    const { ends, task } = createTasks();
    const queue = new TaskQueue();
    await queue.whenIdle();
    const tasks = [queue.run(task(0)), queue.run(task(1)).catch(() => 1)];
    let isIdle = false;
    const idle = queue.whenIdle().then(() => {
      isIdle = true;
    });
    await nextTurn();
    ends[0]!();
    await nextTurn();
    expect(isIdle).toBe(false);
    ends[1]!(new Error('broken'));
    await idle;
    await Promise.all(tasks);
  });
});

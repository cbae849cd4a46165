import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Loop, type LoopParts, type NextTurn } from './loop.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const BACKOFF = { firstMs: 100, maxMs: 350 };

/** A loop whose turns last until the test ends them. */
class ManualLoop {
  readonly failures: number[] = [];
  readonly loop: Loop;
  turns = 0;
  ending: AbortSignal | null = null;
  #end: { resolve(next: NextTurn): void; reject(error: Error): void } | null = null;

  constructor(more: Partial<LoopParts> = {}) {
    this.loop = new Loop({
      turn: (ending) => {
        expect(this.#end).toBeNull();
        this.turns += 1;
        this.ending = ending;
        return new Promise((resolve, reject) => {
          this.#end = { resolve, reject };
        });
      },
      onFailure: (_error, failures) => void this.failures.push(failures),
      backoff: BACKOFF,
      ...more,
    });
  }

  get isWorking(): boolean {
    return this.#end !== null;
  }

  async end(next: NextTurn): Promise<void> {
    this.#takeEnd().resolve(next);
    await vi.advanceTimersByTimeAsync(0);
  }

  async fail(): Promise<void> {
    this.#takeEnd().reject(new Error('no storage'));
    await vi.advanceTimersByTimeAsync(0);
  }

  #takeEnd() {
    const end = this.#end!;
    this.#end = null;
    return end;
  }
}

/** Stops it, and reports whether the stop has ended. */
function stopOf({ loop }: ManualLoop, hurry?: AbortSignal) {
  const stop = { hasEnded: false };
  void loop.stop(hurry).then(() => {
    stop.hasEnded = true;
  });
  return stop;
}

const passMs = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a loop that is started', () => {
  it('takes a turn now, and the next one after the pause that the turn returned', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    expect(manual.turns).toBe(1);
    await manual.end(50);
    await passMs(49);
    expect(manual.turns).toBe(1);
    await passMs(1);
    expect(manual.turns).toBe(2);
    await manual.end(null);
  });

  it('takes its first turn after a delay', async () => {
    const manual = new ManualLoop();
    manual.loop.start({ delayMs: 30 });
    expect(manual.turns).toBe(0);
    await passMs(30);
    await manual.end(null);
    expect(manual.turns).toBe(1);
  });

  it('takes the next turn immediately if one is due', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    await manual.end(0);
    expect(manual.turns).toBe(2);
    await manual.end(null);
    expect(manual.isWorking).toBe(false);
  });

  it('takes one turn if it is started twice', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    manual.loop.start();
    await manual.end(null);
    manual.loop.start();
    await passMs(1000);
    expect(manual.turns).toBe(1);
  });
});

describe('a wake', () => {
  it('before the start does nothing', async () => {
    const manual = new ManualLoop();
    manual.loop.wake();
    manual.loop.wake(10);
    await passMs(1000);
    expect(manual.turns).toBe(0);
  });

  it('ends a pause', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    await manual.end(1000);
    manual.loop.wake();
    expect(manual.turns).toBe(2);
    await manual.end(null);
    await passMs(1000);
    expect(manual.turns).toBe(2);
  });

  it('starts a turn if none was planned', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    await manual.end(null);
    manual.loop.wake();
    expect(manual.turns).toBe(2);
    await manual.end(null);
  });

  it('during a turn causes one more turn, without the pause', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    manual.loop.wake();
    manual.loop.wake();
    await manual.end(1000);
    expect(manual.turns).toBe(2);
    await manual.end(null);
    expect(manual.isWorking).toBe(false);
  });

  it('with a delay causes a turn after the delay of the first of several', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    await manual.end(1000);
    manual.loop.wake(50);
    await passMs(40);
    manual.loop.wake(50);
    await passMs(10);
    expect(manual.turns).toBe(2);
    await manual.end(null);
    await passMs(1000);
    expect(manual.turns).toBe(2);
  });

  it('with a delay is kept during a turn', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    manual.loop.wake(50);
    await manual.end(null);
    await passMs(50);
    expect(manual.turns).toBe(2);
    manual.loop.wake(50);
    await passMs(50);
    await manual.end(null);
    expect(manual.turns).toBe(3);
    await manual.end(null);
  });
});

describe('a turn that fails', () => {
  it('is followed by others with growing pauses, until one succeeds', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    for (const delayMs of [100, 200, 350, 350]) {
      await manual.fail();
      await passMs(delayMs - 1);
      expect(manual.isWorking).toBe(false);
      await passMs(1);
      expect(manual.isWorking).toBe(true);
    }
    expect(manual.failures).toEqual([1, 2, 3, 4]);
    await manual.end(0);
    await manual.fail();
    expect(manual.failures.at(-1)).toBe(1);
    await passMs(100);
    await manual.end(null);
    expect(manual.turns).toBe(7);
  });

  it('has the same pauses if it has reported its failure itself', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    await manual.end('failed');
    await passMs(100);
    await manual.end('failed');
    await passMs(199);
    expect(manual.turns).toBe(2);
    await passMs(1);
    await manual.end(null);
    expect(manual.turns).toBe(3);
    expect(manual.failures).toEqual([]);
  });

  it('varies its pauses by the jitter', async () => {
    const manual = new ManualLoop({ backoff: { ...BACKOFF, jitter: 0.5 }, random: () => 0 });
    manual.loop.start();
    await manual.fail();
    await passMs(50);
    await manual.end(null);
    expect(manual.turns).toBe(2);
  });

  it('does not end the loop if it throws synchronously', async () => {
    let turns = 0;
    const turn = () => {
      turns += 1;
      if (turns === 1) throw new Error('no promise');
      return Promise.resolve(null);
    };
    const { loop } = new ManualLoop({ turn });
    loop.start();
    await passMs(100);
    expect(turns).toBe(2);
  });

  it('is repeated immediately after a wake', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    await manual.fail();
    manual.loop.wake();
    expect(manual.turns).toBe(2);
    await manual.end(null);
  });
});

describe('a stop', () => {
  it('during a pause cancels it', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    await manual.end(10);
    manual.loop.wake(5);
    await manual.loop.stop();
    expect(vi.getTimerCount()).toBe(0);
    manual.loop.wake();
    manual.loop.start();
    expect(manual.turns).toBe(1);
    expect(manual.loop.isRunning).toBe(false);
  });

  it('before the start prevents it', async () => {
    const manual = new ManualLoop();
    await manual.loop.stop();
    manual.loop.start({ delayMs: 10 });
    expect(vi.getTimerCount()).toBe(0);
    manual.loop.wake();
    expect(manual.turns).toBe(0);
  });

  it('aborts the current turn, waits for its end, and takes no other', async () => {
    const manual = new ManualLoop();
    manual.loop.start();
    manual.loop.wake();
    const stop = stopOf(manual);
    expect(manual.ending?.aborted).toBe(true);
    await passMs(1000);
    expect(stop.hasEnded).toBe(false);
    await manual.end(0);
    expect(stop.hasEnded).toBe(true);
    expect(manual.turns).toBe(1);
  });

  it('leaves the current turn its grace period', async () => {
    const manual = new ManualLoop({ graceMs: 3000 });
    manual.loop.start();
    const stop = stopOf(manual);
    await passMs(2999);
    expect(manual.ending?.aborted).toBe(false);
    await passMs(1);
    expect(manual.ending?.aborted).toBe(true);
    expect(stop.hasEnded).toBe(false);
    await manual.end(null);
    expect(stop.hasEnded).toBe(true);
  });

  it('ends the grace period if it has to hurry', async () => {
    const manual = new ManualLoop({ graceMs: 3000 });
    const hurry = new AbortController();
    manual.loop.start();
    stopOf(manual, hurry.signal);
    expect(manual.ending?.aborted).toBe(false);
    hurry.abort();
    expect(manual.ending?.aborted).toBe(true);
    await manual.end(null);
  });

  it('that has to hurry from the beginning has no grace period', async () => {
    const manual = new ManualLoop({ graceMs: 3000 });
    manual.loop.start();
    stopOf(manual, AbortSignal.abort());
    expect(manual.ending?.aborted).toBe(true);
    await manual.end(null);
  });

  it('can follow another one, and hasten it', async () => {
    const manual = new ManualLoop({ graceMs: 3000 });
    manual.loop.start();
    const stops = [stopOf(manual), stopOf(manual, AbortSignal.abort())];
    expect(manual.ending?.aborted).toBe(true);
    await manual.fail();
    expect(stops.map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
    await manual.loop.stop();
    expect(manual.turns).toBe(1);
  });
});

describe('a term', () => {
  it('ends the loop like a stop, and a later term starts it again', async () => {
    const manual = new ManualLoop();
    const [first, second] = [new AbortController(), new AbortController()];
    manual.loop.start({ term: first.signal });
    await manual.fail();
    first.abort();
    expect([vi.getTimerCount(), manual.loop.isRunning]).toEqual([0, false]);
    manual.loop.wake();
    expect(manual.turns).toBe(1);
    manual.loop.start({ term: second.signal });
    await manual.fail();
    // The failures of the last term do not count.
    expect(manual.failures).toEqual([1, 1]);
    await manual.loop.stop();
    manual.loop.start({ term: new AbortController().signal });
    expect([manual.turns, manual.loop.isRunning]).toEqual([2, false]);
  });

  it('that begins during the last turn of another one waits for that turn', async () => {
    const manual = new ManualLoop();
    const first = new AbortController();
    manual.loop.start({ term: first.signal });
    first.abort();
    const ofFirst = manual.ending;
    manual.loop.start({ term: new AbortController().signal });
    expect([manual.turns, ofFirst?.aborted]).toEqual([1, true]);
    await manual.end(null);
    expect([manual.turns, manual.ending?.aborted]).toEqual([2, false]);
    const stop = stopOf(manual);
    await manual.end(null);
    expect(stop.hasEnded).toBe(true);
  });

  it('that has ended starts nothing', () => {
    const manual = new ManualLoop();
    manual.loop.start({ term: AbortSignal.abort() });
    expect([manual.turns, manual.loop.isRunning]).toEqual([0, false]);
  });
});

it('is settled when no turn is in progress', async () => {
  const manual = new ManualLoop();
  await manual.loop.settled();
  manual.loop.start();
  manual.loop.wake();
  let isSettled = false;
  void manual.loop.settled().then(() => {
    isSettled = true;
  });
  await manual.end(1000);
  expect(isSettled).toBe(false);
  await manual.end(1000);
  expect(isSettled).toBe(true);
  await manual.loop.stop();
});

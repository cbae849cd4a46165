import { beforeEach, describe, expect, it } from 'vitest';
import type { Logger } from '../domain/ports/logger.ts';
import { Outbox, type OutboxItem, type OutboxStore, type SendOutcome, STORED_TERMS } from './outbox.ts';

interface Letter extends OutboxItem {
  id: string;
  dueAt: number;
}

type Answer = SendOutcome | null | (() => Promise<SendOutcome | null>);

const DONE: SendOutcome = { kind: 'done' };
const later = (waitMs: number | null = null, hostWide = true): SendOutcome => ({
  kind: 'later',
  problem: 'it responded with 503',
  waitMs,
  hostWide,
});
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** An outbox with a store in memory, whose time passes only when the test lets it. */
class World {
  readonly waiting: Letter[] = [];
  readonly sent: string[] = [];
  readonly attempted: string[] = [];
  readonly logged: { message: string; fields: object }[] = [];
  readonly answers: Answer[] = [];
  readonly timers = new Set<{ dueAt: number; callback: () => void }>();
  readonly outbox: Outbox<Letter>;
  readonly store: OutboxStore<Letter>;
  nowMs = 1_000_000;
  lastFailure: { problem: string; since: number | null } | null = null;
  ending: AbortSignal | null = null;

  constructor(terms = STORED_TERMS) {
    const log = (fields: object, message: string) => void this.logged.push({ message, fields });
    const logger: Logger = { info: log, warn: log, error: log, child: () => logger };
    this.store = {
      next: async () => {
        const [item] = this.waiting.toSorted((a, b) => a.dueAt - b.dueAt);
        return item === undefined ? null : { item, dueAt: item.dueAt };
      },
      postpone: async (item, { dueAt }) => void Object.assign(item, { dueAt, attempts: item.attempts + 1 }),
      settle: async (item) => void this.waiting.splice(this.waiting.indexOf(item), 1),
      retryNow: async () => {
        for (const item of this.waiting) item.dueAt = 0;
      },
      lastFailure: async () => this.lastFailure,
    };
    this.outbox = new Outbox<Letter>({
      store: this.store,
      send: async ({ id }, ending) => {
        this.ending = ending;
        this.sent.push(id);
        const answer = this.answers.shift() ?? DONE;
        return typeof answer === 'function' ? answer() : answer;
      },
      onAttempted: ({ id }, outcome) => void this.attempted.push(`${id} ${outcome}`),
      target: { target: 'ops', what: 'letters cannot be sent' },
      texts: {
        sent: 'letter sent',
        postponed: 'sending a letter failed, retrying',
        given_up: 'letter given up',
        unreadable: 'reading letters failed',
        defect: 'composing a letter failed',
        fields: ({ id }) => ({ letter: id }),
      },
      terms,
      clock: { wallMs: () => this.nowMs },
      schedule: (delayMs, callback) => {
        const timer = { dueAt: this.nowMs + delayMs, callback };
        this.timers.add(timer);
        return () => this.timers.delete(timer);
      },
      logger,
    });
  }

  put(id: string, more: Partial<Letter> = {}): void {
    this.waiting.push({ id, attempts: 0, createdAt: this.nowMs, dueAt: this.nowMs, ...more });
    this.outbox.wake();
  }

  /** The next answer comes when the test calls the result. */
  answerLater(): (outcome: SendOutcome | null) => void {
    let end = (_outcome: SendOutcome | null) => {};
    const answer = new Promise<SendOutcome | null>((resolve) => {
      end = resolve;
    });
    this.answers.push(() => answer);
    return end;
  }

  async start(): Promise<void> {
    this.outbox.start();
    await settle();
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    for (const timer of [...this.timers].filter(({ dueAt }) => dueAt <= this.nowMs)) {
      this.timers.delete(timer);
      timer.callback();
    }
    await settle();
  }
}

let world: World;
beforeEach(() => {
  world = new World();
});

describe('an outbox', () => {
  it('sends nothing before its start, and then what waits, one after another', async () => {
    world.put('a');
    world.put('b');
    await settle();
    expect(world.sent).toEqual([]);
    await world.start();
    expect(world.attempted).toEqual(['a sent', 'b sent']);
    expect([world.waiting, world.timers.size]).toEqual([[], 0]);
    expect(world.logged).toContainEqual({ message: 'letter sent', fields: { letter: 'a' } });
  });

  it('sends what arrives later, also while another one is being sent', async () => {
    await world.start();
    world.answers.push(async () => {
      world.put('b');
      return DONE;
    });
    world.put('a');
    await settle();
    expect(world.sent).toEqual(['a', 'b']);
  });

  it('retries after 5 s, and doubles the delay each time up to 15 minutes', async () => {
    world.put('a');
    world.answers.push(...Array.from({ length: 10 }, () => later()));
    await world.start();
    for (const seconds of [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]) {
      const attempts = world.sent.length;
      await world.pass(seconds * 1000 - 1);
      expect(world.sent.length).toBe(attempts);
      await world.pass(1);
      expect(world.sent.length).toBe(attempts + 1);
    }
    expect(world.attempted.at(-1)).toBe('a sent');
  });

  it('waits as long as the receiver asks for, if that is longer', async () => {
    world.put('a');
    world.answers.push(later(60_000));
    await world.start();
    await world.pass(59_999);
    expect(world.sent).toEqual(['a']);
    await world.pass(1);
    expect(world.sent).toEqual(['a', 'a']);
  });

  it('waits for no item that is due in more than an hour: the clock was set back', async () => {
    await world.start();
    world.put('a', { dueAt: world.nowMs + 3_600_001 });
    await settle();
    expect(world.sent).toEqual(['a']);
  });

  it('looks again when its store will have an item', async () => {
    let isComposed = false;
    const { next } = world.store;
    world.store.next = async () => (isComposed ? next() : { dueAt: 1_030_000, item: null });
    await world.start();
    isComposed = true;
    world.waiting.push({ id: 'a', attempts: 0, createdAt: 0, dueAt: 0 });
    await world.pass(29_999);
    expect(world.sent).toEqual([]);
    await world.pass(1);
    expect(world.sent).toEqual(['a']);
  });
});

describe('a failure', () => {
  it('of the host pauses all items', async () => {
    world.answers.push(later(20_000));
    await world.start();
    world.put('a');
    await settle();
    world.put('b');
    await world.pass(19_999);
    expect(world.sent).toEqual(['a']);
    await world.pass(1);
    expect(world.attempted.slice(1).sort()).toEqual(['a sent', 'b sent']);
  });

  it('of one item delays no other', async () => {
    world.answers.push(later(null, false));
    world.put('a');
    world.put('b', { dueAt: world.nowMs + 1 });
    await world.start();
    await world.pass(1);
    expect(world.attempted).toEqual(['a postponed', 'b sent']);
  });

  it('is shown until an item is sent', async () => {
    world.answers.push(later());
    world.put('a');
    await world.start();
    const failure = { target: 'ops', what: 'letters cannot be sent', problem: 'it responded with 503' };
    expect(world.outbox.failure).toEqual({ ...failure, since: 1_000_000 });
    world.answers.push(later());
    await world.pass(5000);
    expect(world.outbox.failure?.since).toBe(1_000_000);
    await world.pass(10_000);
    expect(world.outbox.failure).toBeNull();
  });

  it('that is final gives the item up', async () => {
    world.answers.push({ kind: 'final', problem: 'it responded with 404' });
    world.put('a');
    await world.start();
    expect([world.attempted, world.waiting]).toEqual([['a given_up'], []]);
    expect(world.logged).toContainEqual({
      message: 'letter given up',
      fields: { letter: 'a', problem: 'it responded with 404' },
    });
    expect(world.outbox.failure?.problem).toBe('it responded with 404');
  });

  it('after 24 hours gives the item up', async () => {
    world.put('young', { createdAt: world.nowMs - 24 * 3_600_000 + 1 });
    world.answers.push(later(null, false), later());
    await world.start();
    world.put('old', { createdAt: world.nowMs - 24 * 3_600_000 });
    await settle();
    expect(world.attempted).toEqual(['young postponed', 'old given_up']);
  });

  it('of the last attempt gives the item up', async () => {
    world = new World({ ...STORED_TERMS, maxAttempts: 2 });
    world.answers.push(later(), later());
    world.put('a');
    await world.start();
    await world.pass(5000);
    expect(world.attempted).toEqual(['a postponed', 'a given_up']);
  });

  it('to compose an item is logged, and the others are sent', async () => {
    world.answers.push(() => Promise.reject(new Error('no text')));
    world.put('broken');
    world.put('b', { dueAt: world.nowMs + 1 });
    await world.start();
    await world.pass(1);
    expect(world.attempted).toEqual(['broken postponed', 'b sent']);
    expect(world.logged).toContainEqual({
      message: 'composing a letter failed',
      fields: { err: new Error('no text'), letter: 'broken' },
    });
  });

  it('of the store is retried after 30 s', async () => {
    const { next } = world.store;
    world.store.next = () => Promise.reject(new Error('disk full'));
    world.put('a');
    await world.start();
    expect(world.logged).toEqual([{ message: 'reading letters failed', fields: { err: new Error('disk full') } }]);
    world.store.next = next;
    await world.pass(29_999);
    expect(world.sent).toEqual([]);
    await world.pass(1);
    expect(world.attempted).toEqual(['a sent']);
  });
});

describe('a start', () => {
  it('retries what an earlier daemon postponed, and shows its failure until an item is sent', async () => {
    world.lastFailure = { problem: 'no route', since: 5 };
    world.put('a', { attempts: 7, dueAt: world.nowMs + 600_000 });
    world.answers.push(later());
    world.outbox.start();
    await settle();
    expect(world.sent).toEqual(['a']);
    expect(world.outbox.failure?.since).toBe(5);
  });

  it('that cannot read the store is repeated', async () => {
    const { retryNow } = world.store;
    world.store.retryNow = () => Promise.reject(new Error('busy'));
    world.put('a', { dueAt: world.nowMs + 600_000 });
    await world.start();
    expect(world.sent).toEqual([]);
    world.store.retryNow = retryNow;
    await world.pass(30_000);
    expect(world.sent).toEqual(['a']);
  });
});

it('retryNow ends the pauses of the items and of the host', async () => {
  world.answers.push(later(3_000_000));
  world.put('a');
  await world.start();
  world.outbox.retryNow();
  await settle();
  expect(world.attempted).toEqual(['a postponed', 'a sent']);
});

describe('a stop', () => {
  it('waits for the response, and sends nothing more', async () => {
    const end = world.answerLater();
    world.put('a');
    world.put('b');
    await world.start();
    const stop = world.outbox.stop();
    await world.pass(2999);
    expect(world.ending?.aborted).toBe(false);
    end(DONE);
    await stop;
    expect(world.attempted).toEqual(['a sent']);
    expect(world.waiting.map(({ id }) => id)).toEqual(['b']);
  });

  it('aborts an attempt that takes longer. The item stays as it was', async () => {
    const end = world.answerLater();
    world.put('a');
    await world.start();
    const stop = world.outbox.stop();
    await world.pass(3000);
    expect(world.ending?.aborted).toBe(true);
    end(null);
    await stop;
    expect([world.attempted, world.outbox.failure]).toEqual([[], null]);
    expect(world.waiting).toMatchObject([{ id: 'a', attempts: 0 }]);
  });
});

describe('a term', () => {
  it('ends the sending, and a later one retries what is left, also what another daemon postponed', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const end = world.answerLater();
    world.put('a');
    world.put('b');
    world.outbox.start(first.signal);
    await settle();
    first.abort();
    end(DONE);
    await settle();
    world.put('c', { dueAt: 3_600_000 });
    expect([world.sent, world.attempted]).toEqual([['a'], ['a sent']]);
    world.outbox.start(second.signal);
    await settle();
    expect(world.sent).toEqual(['a', 'b', 'c']);
    await world.outbox.stop();
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { CI_TOKEN } from './ci-factory.ts';
import { eventually } from './eventually.ts';

/** Every twentieth delivery starts runs, so that they do not queue. */
export const STARTS_EVERY = 20;

/** Every fifth one is sent to two replicas at the same time, as by a load balancer that repeats a slow request. */
const DOUBLED_EVERY = 5;

/** Between two attempts of a delivery, and between two deliveries of a sender. */
const REPEAT_MS = 100;
const REST_MS = 20;
const PATIENCE_MS = 10_000;

/** Senders behind a load balancer: each repeats a delivery, each time at another replica, until it is accepted. */
export class RepeatingSenders {
  readonly #urls: () => readonly string[];
  readonly #sending: Promise<unknown>;
  #isOver = false;
  #hasGivenUp = false;
  #next = 0;
  /** The numbers of the deliveries that got a `202`. They are in the payloads. */
  readonly accepted = new Set<number>();
  /** The number of answers by status, and of requests without an answer by error. */
  readonly answers = new Map<number | string, number>();

  /** @param urls of the webhook at the replicas that run now */
  constructor(count: number, urls: () => readonly string[]) {
    this.#urls = urls;
    this.#sending = Promise.all(Array.from({ length: count }, () => this.#keepSending()));
  }

  /** Number of the last delivery that was sent. */
  get last(): number {
    return this.#next;
  }

  /** Resolves when this number of deliveries was accepted from now on. */
  async untilAccepted(count: number, timeoutMs: number): Promise<void> {
    const before = this.accepted.size;
    await eventually(() => this.accepted.size >= before + count, timeoutMs);
  }

  /** Resolves when each delivery is accepted. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#sending;
  }

  /** Ends without an answer for each delivery. */
  async giveUp(): Promise<void> {
    this.#hasGivenUp = true;
    await this.stop();
  }

  async #keepSending(): Promise<void> {
    while (!this.#isOver) {
      this.#next += 1;
      await this.#sendUntilAccepted(this.#next);
      await pause(REST_MS);
    }
  }

  async #sendUntilAccepted(n: number): Promise<void> {
    for (let attempts = n; !this.#hasGivenUp; attempts += 1) {
      const urls = this.#urls();
      const targets = n % DOUBLED_EVERY === 0 ? [attempts, attempts + 1] : [attempts];
      const answers = await Promise.all(targets.map((target) => post(urls[target % urls.length]!, n)));
      for (const answer of answers) this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
      if (answers.includes(202)) {
        this.accepted.add(n);
        return;
      }
      await pause(REPEAT_MS);
    }
  }
}

async function post(url: string, n: number): Promise<number | string> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${CI_TOKEN}` },
      body: JSON.stringify({ start: n % STARTS_EVERY === 0, n }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return answer.status;
  } catch (error) {
    return (error as Error).name;
  }
}

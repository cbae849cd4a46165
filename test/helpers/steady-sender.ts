import { type Agent, request } from 'node:http';
import { CI_TOKEN } from './ci-factory.ts';

/** What happened to the deliveries of a sender. */
export interface SteadyOutcome {
  /** IDs of deliveries that got `202`. */
  accepted: string[];
  /** Other answers and failed connections, with their IDs. */
  failed: string[];
}

interface SteadyOptions {
  url: string;
  /** Start of the delivery IDs. */
  name: string;
  intervalMs: number;
  /** Connections that are used again; by default each delivery opens one. */
  agent?: Agent;
}

/** Sends deliveries at a steady rate, also while earlier ones wait for their answer. */
export class SteadySender {
  readonly #options: SteadyOptions;
  readonly #outcome: SteadyOutcome = { accepted: [], failed: [] };
  readonly #open: Promise<void>[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(options: SteadyOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#open.push(this.#send(this.#open.length)), options.intervalMs);
  }

  get accepted(): number {
    return this.#outcome.accepted.length;
  }

  /** Resolves when each delivery has its outcome. */
  async end(): Promise<SteadyOutcome> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    return this.#outcome;
  }

  #send(number: number): Promise<void> {
    const { url, name, agent } = this.#options;
    const id = `${name}-${number}`;
    const headers = { authorization: `Bearer ${CI_TOKEN}`, 'x-service-delivery-id': id };
    return new Promise((resolve) => {
      const conclude = (problem: string | null) => {
        if (problem === null) this.#outcome.accepted.push(id);
        else this.#outcome.failed.push(`${id}: ${problem}`);
        resolve();
      };
      const sent = request(url, { method: 'POST', headers, agent: agent ?? false }, (response) => {
        response.resume().once('close', () => conclude(response.statusCode === 202 ? null : `${response.statusCode}`));
      });
      sent.once('error', (error) => conclude(error.message));
      sent.end(JSON.stringify({ start: false, number }));
    });
  }
}

import { request } from 'undici';
import { messageOf } from '../../core/errors.ts';

/** A provider answers at once; who does not is not waited for. */
const TIMEOUT_MS = 10_000;
/** Confirmations under way at one moment. Beyond it the sender is told to try again. */
const MAX_AT_ONCE = 4;

/** How the fetch of a confirmation ended. */
export type Confirmation = { ok: true } | { ok: false; detail: string };

/** Fetches a checked URL without following redirects; answers with the status. */
export type FetchStatus = (url: string, signal: AbortSignal) => Promise<number>;

/** Fetches what confirms a subscription, outside of the request path. */
export class Confirmations {
  readonly #fetchStatus: FetchStatus;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<Confirmation>>();

  constructor(fetchStatus: FetchStatus = fetchOverHttps) {
    this.#fetchStatus = fetchStatus;
  }

  /** Begins the fetch; its promise never rejects. `null` where too many are under way. */
  begin(url: string): Promise<Confirmation> | null {
    if (this.#underWay.size >= MAX_AT_ONCE || this.#stopping.signal.aborted) return null;
    const confirmation = this.#confirm(url).finally(() => this.#underWay.delete(confirmation));
    this.#underWay.add(confirmation);
    return confirmation;
  }

  /** Breaks off what is under way, and waits until it has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#underWay);
  }

  async #confirm(url: string): Promise<Confirmation> {
    try {
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const status = await this.#fetchStatus(url, signal);
      return status === 200 ? { ok: true } : { ok: false, detail: `the provider answered with ${status}` };
    } catch (error) {
      return { ok: false, detail: `the provider could not be reached: ${messageOf(error)}` };
    }
  }
}

async function fetchOverHttps(url: string, signal: AbortSignal): Promise<number> {
  const { statusCode, body } = await request(url, { signal });
  await body.dump();
  return statusCode;
}

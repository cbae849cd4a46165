import { request } from 'undici';
import { messageOf } from '../../core/errors.ts';

/** Providers respond immediately. The daemon does not wait longer. */
const TIMEOUT_MS = 10_000;
/** Maximum number of concurrent confirmations. Above it, the sender is asked to retry. */
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

  /** Starts the fetch. Its promise never rejects. `null` if too many are in progress. */
  begin(url: string): Promise<Confirmation> | null {
    if (this.#underWay.size >= MAX_AT_ONCE || this.#stopping.signal.aborted) return null;
    const confirmation = this.#confirm(url).finally(() => this.#underWay.delete(confirmation));
    this.#underWay.add(confirmation);
    return confirmation;
  }

  /** Aborts the confirmations in progress, and waits until they have ended. */
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

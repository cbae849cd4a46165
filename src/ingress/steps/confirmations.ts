import { messageOf } from '../../domain/errors.ts';

/** Providers respond immediately, so a longer wait is not useful. */
const TIMEOUT_MS = 10_000;
/** Maximum number of concurrent confirmations. Above it, the sender is asked to retry. */
const MAX_CONCURRENT = 4;

/** How the fetch of a confirmation ended. */
type Confirmation = { ok: true } | { ok: false; detail: string };

/** Fetches a checked URL without following redirects; returns the status. */
export type FetchStatus = (url: string, signal: AbortSignal) => Promise<number>;

/** Fetches the URLs that confirm subscriptions, in the background. */
export class Confirmations {
  readonly #fetchStatus: FetchStatus;
  readonly #stopping = new AbortController();
  readonly #inProgress = new Set<Promise<Confirmation>>();

  constructor(fetchStatus: FetchStatus = fetchOverHttps) {
    this.#fetchStatus = fetchStatus;
  }

  /** Starts the fetch. Its promise never rejects. `null` if too many are in progress. */
  begin(url: string): Promise<Confirmation> | null {
    if (this.#inProgress.size >= MAX_CONCURRENT || this.#stopping.signal.aborted) return null;
    const confirmation = this.#confirm(url).finally(() => this.#inProgress.delete(confirmation));
    this.#inProgress.add(confirmation);
    return confirmation;
  }

  /** Aborts the confirmations in progress, and waits until they have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#inProgress);
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
  // Imported lazily: few providers ask for a confirmation.
  const { request } = await import('undici');
  const { statusCode, body } = await request(url, { signal });
  await body.dump();
  return statusCode;
}

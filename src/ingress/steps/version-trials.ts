import type { SecretHistory, SecretVersion } from '../../domain/ports/secret-store.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { KeyedWindows } from '../../domain/time/keyed-windows.ts';
import type { Reception } from '../reception.ts';
import type { Credential } from '../registry/live-webhook.ts';
import { readToken } from './read-token.ts';

/** Versions of a secret that a rejected request is tried with, the most recent ones. */
const MAX_VERSIONS = 5;
/** Rejected requests of one webhook that are tried in a minute. The others keep the reason of the check. */
const MAX_TRIALS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Requests that wait for a trial. Each can hold a body. */
const MAX_WAITING = 32;
/** Versions in memory are read again after this time. */
const MAX_AGE_MS = 60_000;

interface KnownVersions {
  readAtMs: number;
  versions: readonly SecretVersion[];
}

/**
 * Finds the version of a webhook's secret that a rejected request verifies with, to explain the rejection. The sender is
 * answered before, so neither the answer nor its duration depends on the result. Only the storage thread reads the disk.
 */
export class VersionTrials {
  readonly #history: SecretHistory;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #budgets = new KeyedWindows({ limit: MAX_TRIALS_PER_MINUTE, windowMs: MINUTE_MS });
  readonly #known = new Map<string, KnownVersions>();
  readonly #running = new Set<Promise<void>>();

  constructor(history: SecretHistory, clock: Pick<Clock, 'monotonicMs'>) {
    this.#history = history;
    this.#clock = clock;
  }

  /**
   * Tries a rejected request with the other versions.
   *
   * @param report is called once, with `null` if no other version fits. Called before this returns if nothing is to be tried.
   */
  begin(reception: Reception, report: (version: SecretVersion | null) => void): void {
    if (!this.#mayFit(reception)) {
      report(null);
      return;
    }
    const trial = this.#try(reception)
      .catch(() => null)
      .then(report)
      .finally(() => this.#running.delete(trial));
    this.#running.add(trial);
  }

  /** A version of the secret was stored. */
  forget(secretName: string): void {
    this.#known.delete(secretName);
  }

  /** Resolves when everything that was begun is reported. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #mayFit({ webhook }: Reception): boolean {
    const { secretName } = webhook.pinned;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#findFresh(secretName, nowMs);
    if (known !== undefined && listOthers(known, webhook.pinned.version).length === 0) return false;
    return this.#running.size < MAX_WAITING && this.#budgets.admit(webhook.uid, nowMs) === 0;
  }

  async #try(reception: Reception): Promise<SecretVersion | null> {
    // The answer goes out first.
    await new Promise(setImmediate);
    const { pinned, credentialWith } = reception.webhook;
    const versions = await this.#read(pinned.secretName);
    // All are tried: the load must not show which of them fits.
    const fitting = listOthers(versions, pinned.version).filter(({ value }) =>
      verifies(credentialWith(value), reception),
    );
    return fitting[0] ?? null;
  }

  async #read(secretName: string): Promise<readonly SecretVersion[]> {
    const nowMs = this.#clock.monotonicMs();
    const fresh = this.#findFresh(secretName, nowMs);
    if (fresh !== undefined) return fresh;
    const versions = await this.#history.versions(secretName, MAX_VERSIONS + 1);
    this.#known.set(secretName, { readAtMs: nowMs, versions });
    return versions;
  }

  #findFresh(secretName: string, nowMs: number): readonly SecretVersion[] | undefined {
    const known = this.#known.get(secretName);
    if (known === undefined || nowMs - known.readAtMs < MAX_AGE_MS) return known?.versions;
    this.#known.delete(secretName);
    return undefined;
  }
}

function listOthers(versions: readonly SecretVersion[], pinned: number): SecretVersion[] {
  return versions.filter(({ version }) => version !== pinned).slice(0, MAX_VERSIONS);
}

function verifies(credential: Credential, reception: Reception): boolean {
  if ('unreadable' in credential) return false;
  if ('verify' in credential) {
    const verified = credential.verify(reception);
    return !(verified instanceof Promise) && verified.ok;
  }
  const presented = readToken(credential.mode, reception);
  return presented.ok && credential.accepts(presented.token, reception);
}

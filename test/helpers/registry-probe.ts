import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { withClient } from './start-postgres.ts';
import { RECOVERED_MS, type SupervisedReplicas } from './supervised-replicas.ts';
import type { TempGitRepo } from './temp-git-repo.ts';

const LOOK_MS = 20;

/** After this time, the replicas do not become equal. */
const NEVER_MS = 30_000;

/** Finds out from outside whether the replicas serve the same definitions. */
export class RegistryProbe {
  readonly #replicas: SupervisedReplicas;
  readonly #repo: TempGitRepo;
  #commits = 0;

  constructor(replicas: SupervisedReplicas, repo: TempGitRepo) {
    this.#replicas = replicas;
    this.#repo = repo;
  }

  /** Commits a change that replaces one webhook by another, and asks for its reconciliation without waiting for it. */
  async change(): Promise<void> {
    this.#commits += 1;
    await this.#repo.commit({
      [`webhooks/probe-${this.#commits - 1}.yaml`]: null,
      [`webhooks/probe-${this.#commits}.yaml`]: 'secretName: CI_SECRET\n',
    });
    for (const daemon of this.#replicas.daemons)
      void daemon.api('/factories/payments/reconciliations', { method: 'POST' }).catch(() => undefined);
  }

  /**
   * Resolves when each replica has the new webhook and no longer the earlier one.
   *
   * @returns milliseconds since the last of these: the fault ended, both replicas accepted deliveries, the leader had
   *   applied the change; `Infinity` if that does not happen
   */
  async untilEqual(): Promise<number> {
    await this.#replicas.untilReady();
    const readyAt = performance.now();
    const applying = this.#untilApplied(readyAt);
    await this.#replicas.ask('/factories/payments/reconciliations', { method: 'POST' });
    const { added, removed, ...applied } = await applying;
    let { since } = applied;
    while (!(await this.#isEqual(added, removed))) {
      // A leader that was frozen ends after it continues, and starts again.
      if (!(await this.#replicas.isReady())) since = performance.now();
      if (performance.now() - since > NEVER_MS) return Number.POSITIVE_INFINITY;
      await pause(LOOK_MS);
    }
    return performance.now() - since;
  }

  async #untilApplied(readyAt: number): Promise<{ since: number; added: string; removed: string | undefined }> {
    const names = [`probe-${this.#commits}`, `probe-${this.#commits - 1}`];
    return withClient(this.#replicas.url, async (client) => {
      let since = readyAt;
      return eventually(async () => {
        const { rows } = await client.query<{ name: string; uid: string }>(
          'SELECT name, uid FROM webhooks WHERE name = ANY($1)',
          [names],
        );
        const [added, removed] = names.map((name) => rows.find((row) => row.name === name)?.uid);
        if (added !== undefined) return { since, added, removed };
        since = performance.now();
        return null;
      }, RECOVERED_MS);
    });
  }

  async #isEqual(added: string, removed: string | undefined): Promise<boolean> {
    const present = await Promise.all(this.#replicas.webhookUrls(added).map(isLive));
    const absent = removed === undefined ? [] : await Promise.all(this.#replicas.webhookUrls(removed).map(isLive));
    return present.every(Boolean) && !absent.some(Boolean);
  }
}

/** A request without a credential: 401 or 429 from a webhook, 404 without one. */
async function isLive(url: string): Promise<boolean> {
  const answer = await fetch(url, { method: 'POST', body: '{}' }).catch(() => null);
  return answer !== null && answer.status !== 404;
}

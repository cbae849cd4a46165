import type { IdSource } from '../core/ids.ts';
import type { Inventory } from '../core/ports/definitions/inventory.ts';
import type { Reconciliation } from '../core/reconciliation.ts';
import { TaskQueue } from '../core/time/task-queue.ts';
import { composeReport, digestOutcome, judgeCommit } from './compose-report.ts';
import type { NotifyTarget } from './notify-target.ts';
import { type LaneParts, NoticeLane, type NotifyFailure } from './target-notifier.ts';

export interface NotifierParts extends LaneParts {
  /** Targets by the name of their factory. */
  targets: ReadonlyMap<string, readonly NotifyTarget[]>;
  inventory: Pick<Inventory, 'status' | 'lastReconciliation'>;
  ids: Pick<IdSource, 'noticeId'>;
}

/**
 * Tells git hosts and receivers of webhooks what became of each commit. It is fed with every pass and puts into its
 * queue what the target does not know yet; no pass ever waits for it or fails by it.
 */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #lanes: ReadonlyMap<string, readonly NoticeLane[]>;
  /** What each factory's targets were last handed, so that a poll without news costs nothing. */
  readonly #handed = new Map<string, string>();
  readonly #tasks = new TaskQueue();

  constructor(parts: NotifierParts) {
    this.#parts = parts;
    const lanes = [...parts.targets].map(([factory, targets]) => {
      return [factory, targets.map((target) => new NoticeLane(factory, target, parts))] as const;
    });
    this.#lanes = new Map(lanes);
  }

  /** Takes up what an earlier daemon left, also the outcome of a pass that it recorded and told nobody. */
  start(): void {
    for (const [factory, lanes] of this.#lanes) {
      this.#inTurn(factory, async () => {
        for (const lane of lanes) await lane.start();
        const last = await this.#parts.inventory.lastReconciliation(factory);
        if (last !== null) await this.#hand(last);
      });
    }
  }

  /** A pass has ended. Returns at once. */
  offer(reconciliation: Reconciliation): void {
    const { factory } = reconciliation;
    if ((this.#lanes.get(factory) ?? []).length > 0) this.#inTurn(factory, () => this.#hand(reconciliation));
  }

  /** A value came: worth another try for those that use it. */
  onSecretChanged(name: string): void {
    for (const [factory, lanes] of this.#lanes) {
      for (const lane of lanes.filter(({ target }) => target.secretName === name)) {
        this.#inTurn(factory, () => lane.retryNow());
      }
    }
  }

  /** The targets of the factory that cannot be told. */
  failures(factory: string): NotifyFailure[] {
    return (this.#lanes.get(factory) ?? []).flatMap((lane) => lane.failure ?? []);
  }

  /** What is not told yet waits for the next start. */
  async stop(): Promise<void> {
    await this.#tasks.whenIdle();
    await Promise.all([...this.#lanes.values()].flat().map((lane) => lane.stop()));
  }

  /** One after the other, so that the outcomes of a factory stay in their order. */
  #inTurn(factory: string, work: () => Promise<void>): void {
    this.#tasks.run(work).catch((error) => {
      this.#parts.logger.error({ factory, err: error }, 'what became of a commit could not be put down for telling');
    });
  }

  async #hand(reconciliation: Reconciliation): Promise<void> {
    const { factory, revision, message } = reconciliation;
    const state = judgeCommit(reconciliation);
    if (state === null || revision === null) return;
    const outcome = digestOutcome(state, message);
    if (this.#handed.get(factory) === `${revision} ${outcome}`) return;
    const { ids, clock, inventory } = this.#parts;
    const liveRevision = state === 'success' ? revision : ((await inventory.status(factory))?.appliedRevision ?? null);
    const report = composeReport(reconciliation, state, liveRevision);
    for (const lane of this.#lanes.get(factory) ?? []) {
      const createdAt = clock.wallMs();
      await lane.put({ id: ids.noticeId(createdAt), revision, outcome, report, createdAt });
    }
    this.#handed.set(factory, `${revision} ${outcome}`);
  }
}

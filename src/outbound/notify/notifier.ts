import type { RequestPost, RequestPostKind } from '../../domain/applies/pull-request.ts';
import type { ReconciliationEnd } from '../../domain/applies/reconciliation.ts';
import type { IdSource, RunId } from '../../domain/ids.ts';
import {
  isRequestReport,
  type Notice,
  type RequestReport,
  revisionOfComment,
  revisionOfRun,
} from '../../domain/messages/notice.ts';
import type { Inventory } from '../../domain/ports/inventory.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import type { RunInput } from '../../domain/resources/run.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { workOnEach } from '../../domain/work-on-each.ts';
import type { TargetFailure } from '../outbox.ts';
import { composeReport, digestOutcome, stateOfCommit } from './compose-report.ts';
import { type NotifyTarget, nameRunTarget } from './notify-target.ts';
import { composeRunReport } from './run-report.ts';
import { TargetNotifier, type TargetNotifierParts } from './target-notifier.ts';

/** The last runs that a new daemon looks at. */
const MAX_RECENT_RUNS = 200;
const RECENT_MS = 3_600_000;
/** Runs that are remembered until the first term. Those of a replica that does not lead are reported by the leader. */
const MAX_OFFERED_EARLY = 1_000;

export interface NotifierParts extends Omit<TargetNotifierParts, 'onAttempted'> {
  /** Targets by the name of their factory. */
  targets: ReadonlyMap<string, readonly NotifyTarget[]>;
  inventory: Pick<Inventory, 'status' | 'lastReconciliation'>;
  runs: Pick<RunReader, 'get' | 'input' | 'list'>;
  ids: Pick<IdSource, 'noticeId'>;
}

/** Gets the state of each report about a pull request, whenever it changes. */
type FollowRequestPosts = (factory: string, report: RequestReport, post: RequestPost) => void;

/**
 * Reports the status of each commit, and the results of runs, to git hosts and receivers of webhooks. It gets every
 * reconciliation and every change of a run, and queues what is new for a target. Neither waits for it or fails because of it.
 */
export class Notifier {
  readonly #parts: NotifierParts;
  #notifiers: ReadonlyMap<string, readonly TargetNotifier[]> = new Map();
  /** In which this daemon leads; `null` before the first one. */
  #term: AbortSignal | null = null;
  /** What was last queued for the targets of each factory, so that a poll without changes costs nothing. */
  readonly #queued = new Map<string, string>();
  readonly #tasks = new TaskQueue();
  readonly #hurry = new AbortController();
  /** The last runs that were offered before the first term, and when, in wall milliseconds. */
  readonly #offeredEarly = new Map<RunId, number>();
  /** From then on, what was offered is queued, although the term ends, too. */
  #isStopping = false;
  #followRequests: FollowRequestPosts = () => {};

  constructor(parts: NotifierParts) {
    this.#parts = parts;
    this.setTargets(parts.targets);
  }

  /** From now on reports to these targets. Those that were targets before continue with their queues. */
  setTargets(targets: NotifierParts['targets']): void {
    const before = new Set([...this.#notifiers.values()].flat());
    const open = (factory: string, target: NotifyTarget) => {
      const known = (this.#notifiers.get(factory) ?? []).find((notifier) => isSame(notifier.target, target));
      const onAttempted = (notice: Notice) => this.#announce(target, notice);
      return known ?? new TargetNotifier(factory, target, { ...this.#parts, onAttempted });
    };
    const after = [...targets].map(
      ([factory, list]) => [factory, list.map((target) => open(factory, target))] as const,
    );
    this.#notifiers = new Map(after);
    const added = after.map(
      ([factory, notifiers]) => [factory, notifiers.filter((notifier) => !before.delete(notifier))] as const,
    );
    // A changed target continues with the queue of its predecessor.
    for (const notifier of before) this.#tasks.run(() => notifier.stop(this.#hurry.signal)).catch(() => {});
    for (const [factory, notifiers] of added) {
      if (notifiers.length > 0) this.#startReporting(factory, notifiers);
    }
  }

  /**
   * Continues the queue of an earlier daemon, and queues its last reconciliation if that was not reported. Nothing is queued
   * or posted after `term` aborts: who leads then begins like this.
   */
  start(term: AbortSignal): void {
    this.#term = term;
    for (const [factory, notifiers] of this.#notifiers) this.#startReporting(factory, notifiers);
    const since = this.#parts.clock.wallMs() - RECENT_MS;
    for (const [id, offeredAt] of this.#offeredEarly) if (offeredAt >= since) this.offerRun(id);
    this.#offeredEarly.clear();
  }

  /** From now on, `follow` gets each change of a report about a pull request. */
  followRequests(follow: FollowRequestPosts): void {
    this.#followRequests = follow;
  }

  /** A reconciliation has ended. Returns immediately. */
  offer(reconciliation: ReconciliationEnd): void {
    const { factory } = reconciliation;
    if (this.#reportersOf(factory, 'commits').length > 0)
      this.#enqueue(factory, () => this.#queueReport(reconciliation));
  }

  /** A run has changed, and may have ended. Returns immediately. */
  offerRun(id: RunId): void {
    if (this.#term === null) {
      this.#offeredEarly.delete(id);
      this.#offeredEarly.set(id, this.#parts.clock.wallMs());
      const [oldest] = this.#offeredEarly.keys();
      if (this.#offeredEarly.size > MAX_OFFERED_EARLY) this.#offeredEarly.delete(oldest!);
      return;
    }
    const factories = [...this.#notifiers.keys()].filter((factory) => this.#reportersOf(factory, 'runs').length > 0);
    if (factories.length > 0) this.#enqueue(factories.join(', '), () => this.#queueRun(id));
  }

  /** Runs may have ended that nobody offered. Returns immediately. */
  offerRecentRuns(): void {
    for (const factory of this.#notifiers.keys()) this.#enqueue(factory, () => this.#queueRecentRuns(factory));
  }

  /**
   * Queues the commit status of a checked pull request, and its comment if the report has one. What was queued before is not
   * queued again.
   */
  async reportRequest(factory: string, report: RequestReport): Promise<void> {
    const { ids, clock } = this.#parts;
    const { comment, commit, number } = report;
    const put = async (notifier: TargetNotifier, revision: string, outcome: string, shown: RequestReport) => {
      const createdAt = clock.wallMs();
      const notice = { id: ids.noticeId(createdAt), revision, outcome, report: shown, createdAt };
      // What the check depended on is remembered, so that it is not repeated after a restart.
      const isNew = await notifier.put(notice);
      if (!isNew) await notifier.renew(revision, shown);
      const queued = isNew ? null : await notifier.find(revision);
      const { state, problem } = queued ?? { state: 'waiting' as const, problem: null };
      this.#announce(notifier.target, { factory, report: shown, state, problem });
    };
    for (const notifier of this.#requestReporters(factory, 'status')) {
      await put(notifier, commit, digestOutcome(report.state, report.description), { ...report, comment: null });
    }
    for (const notifier of comment === null ? [] : this.#requestReporters(factory, 'comment')) {
      await put(notifier, revisionOfComment(number), digestOutcome(report.state, comment!), report);
    }
  }

  /**
   * Remembers that a commit of a pull request gets no status. A comment about an earlier commit is changed.
   *
   * @param hasStatus whether it gets a status nevertheless
   */
  async skipRequest(factory: string, report: RequestReport, hasStatus: boolean): Promise<void> {
    const [commenter] = this.#requestReporters(factory, 'comment');
    const isCommented = (await commenter?.find(revisionOfComment(report.number))) != null;
    const shown = isCommented ? report : { ...report, comment: null };
    if (hasStatus || isCommented) return this.reportRequest(factory, shown);
    const createdAt = this.#parts.clock.wallMs();
    for (const notifier of this.#requestReporters(factory, 'status')) {
      const id = this.#parts.ids.noticeId(createdAt);
      await notifier.skip({ id, revision: report.commit, outcome: 'skipped', report, createdAt }, report.description);
    }
  }

  /** What was last queued about a commit of a pull request, and for its comment; `null` if nothing was. */
  async findRequest(
    factory: string,
    { commit, number }: Pick<RequestReport, 'commit' | 'number'>,
  ): Promise<Record<RequestPostKind, Notice | null>> {
    const find = async (kind: RequestPostKind, revision: string) => {
      const [notifier] = this.#requestReporters(factory, kind);
      return (await notifier?.find(revision)) ?? null;
    };
    return { status: await find('status', commit), comment: await find('comment', revisionOfComment(number)) };
  }

  /** A secret has a new value: retries the targets that use it. */
  onSecretChanged(name: string): void {
    for (const notifiers of this.#notifiers.values()) {
      for (const notifier of notifiers.filter(({ target }) => target.secretName === name)) {
        notifier.retryNow();
      }
    }
  }

  /** The targets of the factory that cannot be reached. */
  failures(factory: string): TargetFailure[] {
    return (this.#notifiers.get(factory) ?? []).flatMap((notifier) => notifier.failure ?? []);
  }

  /**
   * What is not reported yet waits for the next start.
   *
   * @param hurry ends the wait for responses when it aborts
   */
  async stop(hurry?: AbortSignal): Promise<void> {
    this.#isStopping = true;
    if (hurry?.aborted) this.#hurry.abort();
    hurry?.addEventListener('abort', () => this.#hurry.abort());
    await this.#tasks.whenIdle();
    await Promise.all([...this.#notifiers.values()].flat().map((notifier) => notifier.stop(this.#hurry.signal)));
  }

  #startReporting(factory: string, notifiers: readonly TargetNotifier[]): void {
    this.#enqueue(factory, async (term) => {
      for (const notifier of notifiers) notifier.start(term);
      const last = await this.#parts.inventory.lastReconciliation(factory);
      this.#queued.delete(factory);
      if (last !== null) await this.#queueReport(last);
      await this.#queueRecentRuns(factory);
    });
  }

  #reportersOf(factory: string, what: 'commits' | 'runs'): TargetNotifier[] {
    const isOfRuns = what === 'runs';
    return (this.#notifiers.get(factory) ?? []).filter(
      ({ target }) => target.requests === undefined && (target.runs !== undefined) === isOfRuns,
    );
  }

  #requestReporters(factory: string, what: 'status' | 'comment'): TargetNotifier[] {
    return (this.#notifiers.get(factory) ?? []).filter(({ target }) => target.requests === what);
  }

  #announce(
    { requests: kind }: NotifyTarget,
    { factory, report, state, problem }: Pick<Notice, 'factory' | 'report' | 'state' | 'problem'>,
  ): void {
    if (kind === undefined || kind === 'list' || !isRequestReport(report)) return;
    this.#followRequests(factory, report, { kind, state, problem });
  }

  /** A crash can come between the end of a run and its entry in the queue. Known results are not queued again. */
  async #queueRecentRuns(factory: string): Promise<void> {
    if (this.#reportersOf(factory, 'runs').length === 0) return;
    const recent = await this.#parts.runs.list({ factory, limit: MAX_RECENT_RUNS, cursor: null });
    const since = this.#parts.clock.wallMs() - RECENT_MS;
    const ended = recent.data.toReversed().filter(({ finishedAt }) => finishedAt !== null && finishedAt >= since);
    await workOnEach(ended, ({ id }) => this.#queueRun(id), this.#logFailure(factory));
  }

  async #queueRun(id: RunId): Promise<void> {
    const { runs } = this.#parts;
    if (this.#term === null || this.#isOver(this.#term)) return;
    const changed = await runs.get(id);
    if (changed === null || changed.finishedAt === null) return;
    if (this.#reportersOf(changed.factory, 'runs').length === 0) return;
    const input = await runs.input(id);
    if (input === null || input.run.finishedAt === null) return;
    const { factory } = input.run;
    const reporters = this.#reportersOf(factory, 'runs');
    await workOnEach(reporters, (notifier) => this.#queueResult(notifier, input), this.#logFailure(factory));
  }

  async #queueResult(notifier: TargetNotifier, input: RunInput): Promise<void> {
    const { ids, clock, logger } = this.#parts;
    const { id, factory, attempt } = input.run;
    const composed = composeRunReport(input, notifier.target.runs!);
    if (!composed.ok) logger.info({ factory, run: id, problem: composed.problem }, 'run result not posted');
    if (composed.report === null) return;
    const createdAt = clock.wallMs();
    // One entry for each attempt, so that a retried run is reported again.
    const key = { id: ids.noticeId(createdAt), revision: revisionOfRun(id, attempt), createdAt };
    const report = { ...composed.report, target: nameRunTarget(notifier.target) };
    if (composed.ok) await notifier.put({ ...key, outcome: 'ended', report });
    else await notifier.skip({ ...key, outcome: 'skipped', report }, composed.problem);
  }

  /** Sequential, so that the outcomes of a factory keep their order. Does nothing if this daemon does not lead. */
  #enqueue(factory: string, work: (term: AbortSignal) => Promise<void>): void {
    const term = this.#term;
    if (term === null) return;
    this.#tasks.run(() => (this.#isOver(term) ? undefined : work(term))).catch(this.#logFailure(factory));
  }

  #isOver(term: AbortSignal): boolean {
    return term.aborted && !this.#isStopping;
  }

  #logFailure(factory: string): (error: unknown) => void {
    return (error) =>
      this.#parts.logger.error({ factory, err: error }, 'queueing a commit status or a run result failed');
  }

  async #queueReport(reconciliation: ReconciliationEnd): Promise<void> {
    const { factory, revision, message } = reconciliation;
    const state = stateOfCommit(reconciliation);
    if (state === null || revision === null) return;
    const outcome = digestOutcome(state, message);
    if (this.#queued.get(factory) === `${revision} ${outcome}`) return;
    const { ids, clock, inventory } = this.#parts;
    const liveRevision = state === 'success' ? revision : ((await inventory.status(factory))?.appliedRevision ?? null);
    const report = composeReport(reconciliation, state, liveRevision);
    for (const notifier of this.#reportersOf(factory, 'commits')) {
      const createdAt = clock.wallMs();
      await notifier.put({ id: ids.noticeId(createdAt), revision, outcome, report, createdAt });
    }
    this.#queued.set(factory, `${revision} ${outcome}`);
  }
}

function isSame(a: NotifyTarget, b: NotifyTarget): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

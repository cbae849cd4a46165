import type { Actor } from '../../domain/access/access.ts';
import { AppError, messageOf } from '../../domain/errors.ts';
import type { AlertId, IdSource } from '../../domain/ids.ts';
import type { Alert, AlertEvent, AlertNotice } from '../../domain/messages/alert.ts';
import type { AlertRule, RuleSettings } from '../../domain/messages/alert-rules.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { AlertStore } from '../../domain/ports/messages.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { Schedule } from '../../domain/time/schedule.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { Loop } from '../../platform/loop.ts';
import { type AlertTarget, isRouted } from './alert-target.ts';
import { examineRules } from './examine-rules.ts';
import type { RuleSources } from './rules/finding.ts';
import { type AlertUpdate, updateAlerts } from './update-alerts.ts';

/** Events within this time cause one evaluation. */
const EVENT_WAIT_MS = 250;
const PRUNE_INTERVAL_MS = 3_600_000;
/** Resolved alerts are kept for this time. */
const KEPT_MS = 90 * 24 * 3_600_000;

/** The section `alerts` of the configuration. */
interface AlertTerms {
  readonly intervalMs: number;
  readonly groupWaitMs: number;
  readonly repeatIntervalMs: number;
  readonly resolveAfterMs: number;
  readonly rules: RuleSettings;
  readonly targets: readonly AlertTarget[];
}

interface AlertWatchParts {
  /** In effect when it is read: a reload changes it. */
  terms(): AlertTerms;
  /** Names of the factories of the configuration. */
  factories(): readonly string[];
  sources: RuleSources;
  store: AlertStore;
  /** Notifications for these targets were stored. */
  onNotices(targets: ReadonlySet<string>): void;
  ids: Pick<IdSource, 'alertId'>;
  clock: Clock;
  schedule: Schedule;
  logger: Logger;
}

/**
 * Evaluates the rules in an interval and after events, and keeps the alerts. The active alerts are in memory; the storage
 * has them too, and is written only when one changes. So a restart continues every alert.
 */
export class AlertWatch {
  readonly #parts: AlertWatchParts;
  readonly #active = new Map<AlertId, Alert>();
  readonly #loop: Loop;
  /** Evaluations and acknowledgements. */
  readonly #tasks = new TaskQueue();
  /** Factories whose runs changed since the last evaluation. */
  #changed = new Set<string>();
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: AlertWatchParts) {
    this.#parts = parts;
    this.#loop = new Loop({
      turn: async () => {
        await this.#tasks.run(() => this.#evaluate());
        return parts.terms().intervalMs;
      },
      onFailure: (error) => parts.logger.warn({ problem: messageOf(error) }, 'alerts not evaluated'),
      schedule: parts.schedule,
    });
  }

  /** Continues the alerts of an earlier daemon, then evaluates until `term` aborts. Resolves after the first evaluation. */
  async start(term: AbortSignal): Promise<void> {
    term.addEventListener('abort', () => void this.#tasks.run(() => this.#active.clear()), { once: true });
    await this.#tasks.run(() => (term.aborted ? undefined : this.#readActive()));
    for (const factory of this.#parts.factories()) this.#changed.add(factory);
    this.#loop.start({ term });
    await this.#loop.settled();
  }

  /** Something has happened that a rule may find. @param runsOf the factory whose runs changed */
  noteEvent(runsOf: string | null): void {
    if (runsOf !== null) this.#changed.add(runsOf);
    this.#loop.wake(EVENT_WAIT_MS);
  }

  /** The configuration has changed. */
  reload(): void {
    for (const factory of this.#parts.factories()) this.#changed.add(factory);
    this.#loop.wake();
  }

  /** The storage has the alerts of a factory under another name now. */
  async onFactoryRenamed(): Promise<void> {
    await this.#tasks.run(() => this.#readActive());
    this.reload();
  }

  /** The number of active alerts by rule and factory. */
  counts(): { rule: AlertRule; factory: string | null; count: number }[] {
    const counts = new Map<string, { rule: AlertRule; factory: string | null; count: number }>();
    for (const { rule, factory } of this.#active.values()) {
      const key = `${rule} ${factory ?? ''}`;
      const entry = counts.get(key) ?? { rule, factory, count: 0 };
      counts.set(key, { ...entry, count: entry.count + 1 });
    }
    return [...counts.values()];
  }

  /** Has the factory an alert of this rule that is not resolved? */
  isActive(rule: AlertRule, factory: string): boolean {
    return [...this.#active.values()].some((alert) => alert.rule === rule && alert.factory === factory);
  }

  /** Throws `conflict` if the alert is not open, `not_found` if it does not exist. */
  acknowledge(id: AlertId, by: Actor, note: string | null): Promise<Alert> {
    return this.#tasks.run(async () => {
      const { store, clock } = this.#parts;
      const alert = await store.acknowledge(id, by, note, clock.wallMs());
      if (alert !== null) {
        this.#active.set(id, alert);
        return alert;
      }
      const existing = await store.get(id);
      if (existing === null) throw new AppError('not_found', 'There is no such alert.');
      throw new AppError('conflict', `The alert is ${existing.state}: only an open alert can be acknowledged.`);
    });
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#tasks.whenIdle();
  }

  async #readActive(): Promise<void> {
    const alerts = await this.#parts.store.active();
    this.#active.clear();
    for (const alert of alerts) this.#active.set(alert.id, alert);
  }

  /** What failed is tried again. */
  async #evaluate(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    try {
      await this.#examine(changed);
      await this.#prune();
    } catch (error) {
      for (const factory of changed) this.#changed.add(factory);
      throw error;
    }
  }

  async #examine(changed: ReadonlySet<string>): Promise<void> {
    const { terms: readTerms, factories, sources, ids, clock, logger } = this.#parts;
    const terms = readTerms();
    const active = [...this.#active.values()];
    const withAlert = active.flatMap(({ factory }) => factory ?? []);
    const examinations = await examineRules(sources, {
      settings: terms.rules,
      factories: factories(),
      changed: new Set([...changed, ...withAlert]),
      onFailure: (rule, error) => {
        for (const factory of changed) this.#changed.add(factory);
        logger.warn({ rule, problem: messageOf(error) }, 'alert rule not evaluated');
      },
    });
    const nowMs = clock.wallMs();
    const update = updateAlerts(active, examinations, { ...terms, nowMs, newId: () => ids.alertId(nowMs) });
    if (update.opened.length + update.changed.length > 0) await this.#apply(update, terms, nowMs);
  }

  async #apply(update: AlertUpdate, terms: AlertTerms, nowMs: number): Promise<void> {
    const { store, onNotices, logger } = this.#parts;
    const { opened, changed, resolved, repeated } = update;
    const notices = [
      ...composeNotices('opened', opened, terms, nowMs),
      ...composeNotices('repeated', repeated, terms, nowMs),
      ...composeNotices('resolved', resolved, terms, nowMs),
    ];
    await store.change({ opened, changed, notices });
    for (const alert of [...opened, ...changed]) this.#active.set(alert.id, alert);
    for (const { id } of resolved) this.#active.delete(id);
    for (const alert of opened) logger.warn(describe(alert), 'alert opened');
    for (const alert of resolved) logger.info(describe(alert), 'alert resolved');
    if (notices.length > 0) onNotices(new Set(notices.map(({ target }) => target)));
  }

  async #prune(): Promise<void> {
    const { store, clock } = this.#parts;
    if (clock.monotonicMs() - this.#prunedAt < PRUNE_INTERVAL_MS) return;
    await store.prune(clock.wallMs() - KEPT_MS);
    this.#prunedAt = clock.monotonicMs();
  }
}

function composeNotices(
  event: AlertEvent,
  alerts: readonly Alert[],
  { targets, groupWaitMs }: AlertTerms,
  nowMs: number,
): AlertNotice[] {
  return alerts.flatMap((alert) =>
    targets
      .filter((target) => isRouted(target, alert))
      .map(({ name }) => ({ target: name, alert: alert.id, event, dueAt: nowMs + groupWaitMs })),
  );
}

function describe({ id, rule, factory, object, summary }: Alert) {
  return { alert: id, rule, factory, object, summary };
}

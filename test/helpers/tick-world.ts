import type { CatchUp } from '../../src/domain/definitions/trigger.ts';
import type { ListeningAutomation } from '../../src/domain/ports/definitions.ts';
import type { ScheduleStore } from '../../src/domain/ports/schedules.ts';
import type { Storage } from '../../src/domain/ports/storage.ts';
import type { DeliveryOffer, RecordOutcome } from '../../src/domain/resources/delivery.ts';
import { TICK_LISTENERS } from '../../src/domain/resources/schedule.ts';
import { LiveFactories } from '../../src/ingress/registry/live-factories.ts';
import { Registry } from '../../src/ingress/registry/registry.ts';
import { TickLoop } from '../../src/ingress/schedules/tick-loop.ts';
import { FACTORY } from './build-apply.ts';
import { ids } from './build-offer.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

interface Declared {
  cron: string;
  name?: string | null;
  timezone?: string;
  catchUp?: CatchUp;
}

/** A daemon that ticks, as far as schedules concern it, with a clock that a test sets. */
export class TickWorld {
  nowMs: number;
  isPaused = false;
  /** Replaces the storage of schedules, for failures. */
  store: ScheduleStore;
  readonly recorded: { entry: DeliveryOffer; outcome: RecordOutcome }[] = [];
  readonly live: LiveFactories;
  readonly registry = new Registry();
  readonly loop: TickLoop;
  readonly #timers = new Set<{ dueAt: number; callback: () => void }>();
  #applies = 0;

  constructor(storage: Storage, nowMs: number) {
    this.nowMs = nowMs;
    this.store = storage.schedules;
    this.loop = new TickLoop({
      store: { sync: (change) => this.store.sync(change), advance: (step) => this.store.advance(step) },
      findSource: (factory) => this.registry.tickSource(factory),
      setSource: (factory, source) => this.live.setTickSource(factory, source),
      explainPause: () => (this.isPaused ? 'paused' : null),
      clock: { wallMs: () => this.nowMs, monotonicMs: () => this.nowMs },
      ids,
      schedule: (delayMs, callback) => {
        const timer = { dueAt: this.nowMs + delayMs, callback };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
      onRecorded: (entry, outcome) => this.recorded.push({ entry: entry as DeliveryOffer, outcome }),
      onRunsCreated: () => {},
      logger: SILENT as never,
    });
    this.live = new LiveFactories(this.registry, () => null, {
      onChanged: (changes) => this.loop.follow(changes),
      onRemoved: (factory) => this.loop.remove(factory),
    });
  }

  /** Applies an automation with these schedules, and waits until they are stored. */
  async apply(version: number, schedules: Declared[], more: Partial<ListeningAutomation> = {}): Promise<void> {
    const name = more.name ?? 'fix-errors';
    const declared = schedules.map((one) => ({ name: null, timezone: 'UTC', catchUp: 'none' as const, ...one }));
    const automation = {
      version,
      enabled: true,
      filters: [[TICK_LISTENERS, [{ payload: { automation: [name] } }]]] as ListeningAutomation['filters'],
      schedules: declared,
      ...more,
      name,
    };
    this.#applies += 1;
    this.live.stage({ factory: FACTORY, automations: [automation], isFirst: true, isWhole: this.#applies === 1 });
    const change = { webhooks: [], deletedWebhooks: [], deletedAutomations: [], isStaged: true };
    this.live.goLive({
      ...change,
      factory: FACTORY,
      revision: 'c0ffee',
      applyNumber: this.#applies,
      isWhole: this.#applies === 1,
    });
    await this.loop.settled();
  }

  /** Sets the clock and runs what is due, until nothing is. */
  async goTo(nowMs: number): Promise<void> {
    this.nowMs = nowMs;
    for (;;) {
      const due = [...this.#timers].filter(({ dueAt }) => dueAt <= this.nowMs);
      if (due.length === 0) return;
      for (const timer of due) {
        this.#timers.delete(timer);
        timer.callback();
      }
      await this.loop.settled();
    }
  }

  /** Runs what is due at each of these steps. */
  async passTo(untilMs: number, stepMs = 15_000): Promise<void> {
    while (this.nowMs < untilMs) await this.goTo(Math.min(untilMs, this.nowMs + stepMs));
  }

  /** The payloads of the recorded ticks. */
  payloads(): { scheduled_at: string; missed: number; [key: string]: unknown }[] {
    return this.recorded.map(({ entry }) => JSON.parse(Buffer.from(entry.body).toString('utf8')));
  }
}

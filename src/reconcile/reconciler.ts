import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Reconciliation } from '../core/reconciliation.ts';
import { type FactoryContext, type PassTrigger, reconcileFactory } from './reconcile-factory.ts';

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;

/** Calls back once after a while; the function returned takes that back. Must not keep the process alive. */
export type Schedule = (delayMs: number, callback: () => void) => () => void;

/** Told of the end of every pass, for the log and the metrics. */
export type OnReconciled = (reconciliation: Reconciliation) => void;

interface NextPass {
  trigger: PassTrigger;
  done: Promise<Reconciliation>;
}

/**
 * The loop of one factory: passes run one after another; what asks while one is under way shares the next one. A pass
 * that failed for something outside is repeated by itself, later and later.
 */
export class Reconciler {
  readonly #context: FactoryContext;
  readonly #schedule: Schedule;
  readonly #onReconciled: OnReconciled;
  readonly #logger: Logger;
  #current: Promise<unknown> = Promise.resolve();
  #next: NextPass | null = null;
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: (() => void) | null = null;
  #stopped = false;
  #last: Reconciliation | null = null;

  constructor(context: FactoryContext, schedule: Schedule, onReconciled: OnReconciled, logger: Logger) {
    this.#context = context;
    this.#schedule = schedule;
    this.#onReconciled = onReconciled;
    this.#logger = logger;
  }

  /** Registers the factory, runs a first pass and watches its source from then on. */
  async start(): Promise<void> {
    const { inventory, source, name, clock } = this.#context;
    await inventory.register(name, clock.wallMs());
    source.watch(() => this.#passInBackground('routine'));
    this.#passInBackground('asked');
  }

  /** One full pass that begins after this call. Rejects only where not even the failure could be recorded. */
  reconcile(trigger: PassTrigger = 'asked'): Promise<Reconciliation> {
    if (this.#next === null) {
      const done = this.#current.then(() => this.#pass());
      this.#next = { trigger, done };
      this.#current = done.catch(() => {});
    } else if (trigger === 'asked') {
      this.#next.trigger = 'asked';
    }
    return this.#next.done;
  }

  /** A secret came or changed: worth another look where the last pass failed for want of one. */
  onSecretChanged(): void {
    const reason = this.#last?.reason;
    if (reason === 'SecretMissing' || reason === 'SecretUnsuitable') this.#passInBackground('asked');
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRetry?.();
    await this.#context.source.close();
    await this.#current;
  }

  async #pass(): Promise<Reconciliation> {
    const { trigger } = this.#next!;
    this.#next = null;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    try {
      const reconciliation = await reconcileFactory(this.#context, trigger);
      this.#last = reconciliation;
      this.#onReconciled(reconciliation);
      this.#planRetry(reconciliation.result === 'failed');
      return reconciliation;
    } catch (error) {
      this.#planRetry(true);
      throw error;
    }
  }

  #planRetry(isNeeded: boolean): void {
    if (!isNeeded || this.#stopped) {
      this.#retryMs = FIRST_RETRY_MS;
      return;
    }
    this.#cancelRetry = this.#schedule(this.#retryMs, () => this.#passInBackground('asked'));
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }

  #passInBackground(trigger: PassTrigger): void {
    if (this.#stopped) return;
    this.reconcile(trigger).catch((error) => {
      this.#logger.error({ factory: this.#context.name, error: messageOf(error) }, 'reconciliation broke off');
    });
  }
}

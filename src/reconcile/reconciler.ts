import type { Reconciliation, ReconciliationEnd } from '../domain/applies/reconciliation.ts';
import { AppError } from '../domain/errors.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type { ReadLiveChange } from '../domain/ports/replicas.ts';
import type { Ancestry, Revision } from '../domain/ports/sources.ts';
import type { StoredTraceContext } from '../domain/telemetry/trace-context.ts';
import type { Backoff } from '../domain/time/backoff.ts';
import type { Schedule } from '../domain/time/schedule.ts';
import { TaskQueue } from '../domain/time/task-queue.ts';
import { Loop, type NextTurn } from '../platform/loop.ts';
import { type EditOutcome, editFactory, type FactoryEdit } from './edit-factory.ts';
import type { FactoryContext, PassTrigger } from './factory-context.ts';
import { reconcileFactory } from './reconcile-factory.ts';
import { serveApplied, serveChange } from './serve-factory.ts';

const RETRY_BACKOFF: Backoff = { firstMs: 5_000, maxMs: 300_000 };

/** Called at the end of every pass, for the log and the metrics. */
export type OnReconciled = (reconciliation: ReconciliationEnd) => void;

/** Traces of deliveries that one pass keeps. Pushes that arrive during a pass share the next one. */
const MAX_PUSHES = 32;

/** A pass that was asked for and has not begun. All that ask for it share `promise`. */
interface NextPass extends PromiseWithResolvers<Reconciliation> {
  trigger: PassTrigger;
  pushes: StoredTraceContext[];
}

/**
 * The loop of one factory: each turn is a pass. All requests during a pass share the next one. A pass that failed for an
 * external reason is repeated, with increasing delays.
 *
 * ```
 *        reconcile, onPush, a newer secret: #next is set and wakes the loop
 *   idle ─────────────────────────────────────────────────────────────────▶ turn: waits for edits (#exclusive)
 *    ▲                                                                        │ takes #next
 *    │ applied, unchanged, invalid                                            ▼
 *    ├──────────────────────────────────────────────────────────────────── pass running
 *    │                                                                        │ failed
 *    └──────────────── the backoff of the loop ends: turn ◀───────────────────┘
 * ```
 *
 * `stop` ends every state: a running pass is aborted while it waits for the source, and no other pass starts.
 */
export class Reconciler {
  readonly #context: FactoryContext;
  readonly #onReconciled: OnReconciled;
  readonly #loop: Loop;
  readonly #stopping = new AbortController();
  /** Passes and edits, one after another. */
  readonly #exclusive = new TaskQueue();
  #next: NextPass | null = null;
  /** Whether the last pass or edit failed for a reason that can pass. */
  #isRetryNeeded = false;
  #isRegistered = false;
  /** Whether the whole applied definition was made live, so that changes can be added to it. */
  #isWholeLive = false;
  #last: Reconciliation | null = null;
  /** Whether a secret changed after the last pass began. */
  #isSecretNewer = false;

  constructor(context: FactoryContext, schedule: Schedule, onReconciled: OnReconciled) {
    this.#context = context;
    this.#onReconciled = onReconciled;
    this.#loop = new Loop({
      turn: () => this.#takeTurn(),
      onFailure: (error) => this.#report(error),
      backoff: RETRY_BACKOFF,
      schedule,
    });
  }

  /** Starts the first pass and watches the source. */
  start(): void {
    this.#context.source.watch(() => this.onPush());
    this.#passInBackground('asked');
  }

  /** Runs one full pass that begins after this call. Rejects if the outcome cannot be recorded. */
  reconcile(trigger: PassTrigger = 'asked'): Promise<Reconciliation> {
    if (this.#stopping.signal.aborted) return Promise.reject(this.#stopping.signal.reason);
    const isFirst = this.#next === null;
    const done = this.#request(trigger);
    if (isFirst) this.#wake();
    return done;
  }

  /**
   * The branch may have moved. Shares the next pass with other requests, and returns immediately.
   *
   * @param trace of the delivery that reported it
   */
  onPush(trace: StoredTraceContext | null = null): void {
    this.#passInBackground('routine');
    const pushes = this.#next?.pushes;
    if (trace !== null && pushes !== undefined && pushes.length < MAX_PUSHES) pushes.push(trace);
  }

  /** Runs `work` on the result of the last pass, while no pass is in progress. Rejects as `work` does. */
  betweenPasses<T>(work: () => Promise<T>): Promise<T> {
    return this.#exclusive.run(work);
  }

  /** Changes a hosted definition between two passes; the pass that makes it live counts as one of the loop's. */
  async edit(edit: FactoryEdit): Promise<EditOutcome> {
    const outcome = await this.betweenPasses(async () => {
      await this.#register();
      return editFactory(this.#context, { trigger: 'asked', stopping: this.#stopping.signal }, edit);
    });
    if (outcome.kind !== 'applied' && outcome.kind !== 'waiting') return outcome;
    this.#note(outcome.reconciliation);
    if (this.#isRetryNeeded) this.#wake(RETRY_BACKOFF.firstMs);
    // A turn without work ends the backoff.
    else if (this.#loop.isRunning) this.#loop.wake();
    return outcome;
  }

  /**
   * Takes over what another factory applied. It is live before the pass that applies the current definition.
   *
   * @param write moves it in the storage
   */
  async takeOver(write: (isHosted: boolean) => Promise<void>): Promise<Reconciliation> {
    await this.betweenPasses(async () => {
      await this.#register();
      await write(this.#context.hosted !== null);
      await this.serve();
    });
    return this.reconcile();
  }

  /**
   * Makes the factory known, and its applied definition live, before requests are accepted. If the storage cannot be written
   * now, or if another daemon leads, the first pass makes it known.
   */
  async open(): Promise<void> {
    await this.#register().catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_leading') return;
      this.#context.logger.warn({ err: error }, 'the factory could not be stored yet');
    });
    await this.serve();
  }

  /** Makes the applied definition live as the storage has it now: at start, and after a pin that no apply made. */
  async serve(): Promise<void> {
    const { state } = this.#context;
    state.forget();
    await serveApplied(this.#context, await state.applied());
    this.#isWholeLive = true;
  }

  /**
   * Makes live what other daemons changed, between two passes. The cost follows the change. Serves the whole definition if what
   * changed is not known, or if nothing was served before. Returns the live version that is served then.
   *
   * @param read called when no pass is running
   */
  follow(read: ReadLiveChange): Promise<number> {
    return this.betweenPasses(async () => {
      const { state, name } = this.#context;
      const { version, change } = await read();
      if (change === null || !this.#isWholeLive) {
        await this.serve();
      } else {
        state.forget();
        await serveChange(this.#context, name, change);
      }
      return version;
    });
  }

  /** As `DefinitionSource.contains`. */
  contains(revision: string, earlier: string): Promise<Ancestry> {
    return this.#context.source.contains(revision, earlier);
  }

  /** The revisions of a hosted definition, newest first; `null` where its source keeps none. */
  async history(request: PageRequest): Promise<Page<Revision> | null> {
    const read = await this.#context.hosted?.history?.(request);
    if (read === undefined) return null;
    if (read.ok) return read.page;
    throw new AppError('source_unavailable', read.message);
  }

  /** A secret was created or changed: starts a pass if the last or current one fails because of a missing secret. */
  onSecretChanged(): void {
    this.#isSecretNewer = true;
    this.#takeNewerSecrets();
  }

  /** Starts no more passes. Aborts the current one while it waits for the source. Who waits for a pass gets `reason`. */
  async stop(
    reason = new AppError('shutting_down', 'The daemon is stopping. Try again once it has started again.'),
  ): Promise<void> {
    this.#stopping.abort(reason);
    const ended = this.#loop.stop();
    await this.#context.source.close();
    await ended;
    this.#next?.reject(reason);
    await this.#exclusive.whenIdle();
  }

  /** Asks for a pass, without a wake of the loop. */
  #request(trigger: PassTrigger): Promise<Reconciliation> {
    this.#next ??= { ...Promise.withResolvers<Reconciliation>(), trigger, pushes: [] };
    if (trigger === 'asked') this.#next.trigger = 'asked';
    return this.#next.promise;
  }

  #wake(delayMs = 0): void {
    if (this.#loop.isRunning) this.#loop.wake(delayMs);
    else this.#loop.start({ delayMs });
  }

  /** A turn without a request follows a pass that failed. */
  async #takeTurn(): Promise<NextTurn> {
    if (this.#next === null && this.#isRetryNeeded) this.#request('asked').catch((error) => this.#report(error));
    if (this.#next !== null) await this.#exclusive.run(() => this.#pass());
    return this.#isRetryNeeded ? 'failed' : null;
  }

  async #pass(): Promise<void> {
    const { trigger, pushes, resolve, reject } = this.#next!;
    this.#next = null;
    this.#isSecretNewer = false;
    try {
      resolve(this.#note(await this.#carryOut(trigger, pushes)));
    } catch (error) {
      this.#isRetryNeeded = true;
      reject(error);
    }
  }

  async #carryOut(trigger: PassTrigger, pushes: readonly StoredTraceContext[]): Promise<Reconciliation> {
    await this.#register();
    return reconcileFactory(this.#context, { trigger, pushes, stopping: this.#stopping.signal });
  }

  async #register(): Promise<void> {
    const { inventory, name, clock } = this.#context;
    this.#stopping.signal.throwIfAborted();
    if (!this.#isRegistered) await inventory.register(name, clock.wallMs());
    this.#isRegistered = true;
  }

  #note(reconciliation: Reconciliation): Reconciliation {
    this.#isRetryNeeded = reconciliation.result === 'failed';
    this.#last = reconciliation;
    this.#takeNewerSecrets();
    const { plan: _, ...end } = reconciliation;
    this.#onReconciled(end);
    return reconciliation;
  }

  #takeNewerSecrets(): void {
    const reason = this.#last?.reason;
    const isWaiting = reason === 'SecretMissing' || reason === 'SecretUnsuitable';
    if (isWaiting && this.#isSecretNewer) this.#passInBackground('asked');
  }

  #passInBackground(trigger: PassTrigger): void {
    if (this.#stopping.signal.aborted) return;
    this.reconcile(trigger).catch((error) => this.#report(error));
  }

  #report(error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    const { logger, name } = this.#context;
    logger.error({ factory: name, err: error }, 'the outcome of a reconciliation could not be recorded');
  }
}

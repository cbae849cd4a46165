// Runs that workers pull, on the side of the daemon. In: requests of workers by `api/runs/worker-routes.ts`. Out: runs with a
// lease.
// Next: `claim-waiters.ts` for requests that wait, `worker-registry.ts` for who is known, `runs/run-leases.ts` for what is
// held.

import { AppError, messageOf } from '../../domain/errors.ts';
import type { RunLogWriter } from '../../domain/ports/executor.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { RunObserver } from '../../domain/ports/run-control.ts';
import type { RunQueue } from '../../domain/ports/run-queue.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { ClaimedRun, ClaimOrder, Hold, KnownWorker, WorkerCaller } from '../../domain/ports/workers.ts';
import type { Run, RunInput } from '../../domain/resources/run.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { type CancelCall, callAt } from '../../domain/time/schedule.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import type { DispatchState } from '../dispatch-terms.ts';
import { type ResolvedRunSecrets, resolveRunSecrets } from '../resolve-run-secrets.ts';
import type { RunEvents } from '../run-events.ts';
import type { RunLeases } from '../run-leases.ts';
import { ClaimWaiters } from './claim-waiters.ts';
import { keyOf, type WorkerKey, type WorkerRegistry } from './worker-registry.ts';

export interface RunClaimParts {
  leases: RunLeases;
  workers: WorkerRegistry;
  queue: Pick<RunQueue, 'claim' | 'noteLogOffset'>;
  logs: Pick<RunLogWriter, 'begin'>;
  secrets: Pick<SecretStore, 'resolve'>;
  clock: Clock;
  logger: Logger;
  observer: RunObserver;
  state: Pick<DispatchState, 'phase'>;
  events: RunEvents;
}

/** Gives queued runs to the workers that ask for them. */
export class RunClaims {
  readonly #parts: RunClaimParts;
  readonly #waiters: ClaimWaiters;
  readonly #claims = new TaskQueue();
  readonly #stopping = new AbortController();
  /** By factory: cancels the wake at the time of its next run that waits for one. */
  readonly #due = new Map<string, CancelCall>();
  readonly #budgetOpensAt = new Map<string, number | null>();
  /** A claim failed: runs may be `running` that no worker received. */
  #mayHaveStrays = false;
  #turn = 0;

  constructor(parts: RunClaimParts) {
    this.#parts = parts;
    this.#waiters = new ClaimWaiters({
      clock: parts.clock,
      mayWait: () => parts.leases.isOpen && parts.state.phase === 'running',
      // One claim at a time, so that two workers cannot both get the last free slot.
      claimNow: (order) => this.#claims.run(() => this.#claimOldest(order)),
      takeBack: (claimed) => this.#takeBack(claimed),
    });
  }

  async claim(order: ClaimOrder): Promise<ClaimedRun[]> {
    const { workers } = this.#parts;
    const worker = workers.note(order.worker, order.factories);
    if (order.holding !== null) await this.#interruptUnlisted(worker, order.holding);
    return this.#waiters.claim(order).finally(workers.noteWaiting(order.worker));
  }

  list(): KnownWorker[] {
    const { workers, leases } = this.#parts;
    const known = workers.list().map(({ caller, factories, isOnline, lastSeenAt }) => {
      const seen = { isOnline, lastSeenAt, factories: [...factories].sort() };
      return Object.assign({}, caller, seen, { runs: leases.heldBy(keyOf(caller)) });
    });
    return known.sort((a, b) => a.name.localeCompare(b.name) || (a.id ?? '').localeCompare(b.id ?? ''));
  }

  /** When the budget of the factory allows the next start, as wall time; `null` if it kept no run from starting. */
  budgetOpensAt(factory: string): number | null {
    return this.#budgetOpensAt.get(factory) ?? null;
  }

  /** A run of this factory may be claimed. */
  wake(factory: string): void {
    if (this.#parts.leases.isOpen && this.#parts.leases.termsOf(factory) !== null) this.#waiters.wake(factory);
  }

  /** Compares the stored runs with those that workers hold. */
  lookForStrays(): void {
    this.#mayHaveStrays = true;
    this.#claims
      .run(() => this.#recoverStrays())
      .catch((error: unknown) => this.#parts.logger.warn({ err: error }, 'recovering runs without a worker failed'));
  }

  /** The daemon gives out no further runs: claims that wait end. */
  endWaits(): void {
    this.#waiters.endAll();
  }

  stop(): void {
    this.#stopping.abort();
    this.#waiters.endAll();
    for (const cancelWake of this.#due.values()) cancelWake();
  }

  async #claimOldest(order: ClaimOrder): Promise<ClaimedRun[]> {
    if (!this.#parts.leases.isOpen || this.#stopping.signal.aborted) {
      throw new AppError('storage_unavailable', 'The daemon cannot give out runs now; try again in a moment.');
    }
    const claimed: ClaimedRun[] = [];
    if (this.#parts.state.phase !== 'running') return claimed;
    if (this.#mayHaveStrays) await this.#recoverStrays();
    for (const factory of rotate(order.factories, this.#turn++)) {
      const inputs = await this.#take(factory, order.limit - claimed.length, order.worker);
      for (const input of inputs) {
        const given = await this.#giveOut(input, order);
        if (given !== null) claimed.push(given);
      }
    }
    return claimed;
  }

  async #recoverStrays(): Promise<void> {
    if (!this.#parts.leases.isOpen) return;
    await this.#parts.leases.recoverStrays();
    this.#mayHaveStrays = false;
  }

  async #take(factory: string, wanted: number, { token, labels }: WorkerCaller): Promise<RunInput[]> {
    const { queue, leases, clock } = this.#parts;
    const { concurrency = 0, budget = null } = leases.termsOf(factory) ?? {};
    const limit = Math.min(wanted, concurrency - leases.countHeld(factory));
    if (limit <= 0) return [];
    const order = { factory, executor: 'queue', limit, worker: token, labels, at: clock.wallMs(), budget } as const;
    const { inputs, nextAt, budgetOpensAt, ...admitted } = await queue.claim(order).catch((error: unknown) => {
      this.lookForStrays();
      throw error;
    });
    this.#budgetOpensAt.set(factory, budgetOpensAt);
    this.#parts.events.emit('admitted', admitted);
    this.#wakeWhenDue(factory, nextAt);
    return inputs;
  }

  /** @param wallMs when the next run may start, as wall time; `null` if none waits for a time */
  #wakeWhenDue(factory: string, wallMs: number | null): void {
    const { clock } = this.#parts;
    this.#due.get(factory)?.();
    this.#due.delete(factory);
    if (wallMs === null) return;
    const dueAt = clock.monotonicMs() + Math.max(0, wallMs - clock.wallMs());
    const cancel = callAt(dueAt, clock, () => this.wake(factory));
    this.#due.set(factory, cancel);
  }

  /** Resolves with `null` if the run cannot start, because a secret cannot be read. */
  async #giveOut(input: RunInput, { worker, withSecrets }: ClaimOrder): Promise<ClaimedRun | null> {
    const { leases, observer, events } = this.#parts;
    const { run } = input;
    const term = leases.give(run, keyOf(worker));
    const resolved = withSecrets ? await this.#openSecrets(input) : null;
    if (resolved?.ok === false) {
      await leases.fail(run, resolved.error);
      return null;
    }
    events.emit('changed', run.id);
    this.#loggerOf(run).info({ automation: run.automation, executor: 'queue', worker: worker.name }, 'run started');
    observer.onClaimed(run, input.queuedAt);
    await this.#beginLog(run);
    const { timeoutMs, findCheckout } = leases.termsOf(run.factory)!;
    const checkout = withSecrets ? (findCheckout?.(input) ?? null) : null;
    return { input, fence: run.attempt, timeoutMs, secrets: resolved?.secrets ?? null, checkout, ...term };
  }

  /** As for a command of the daemon, a run whose secrets cannot be read fails with the reason. */
  async #openSecrets(input: RunInput): Promise<ResolvedRunSecrets> {
    try {
      return await resolveRunSecrets(input, this.#parts.secrets, this.#stopping.signal);
    } catch (error) {
      return { ok: false, error: messageOf(error) };
    }
  }

  /** A log that cannot be written must not take the run from its worker. */
  async #beginLog(run: Run): Promise<void> {
    const { logs, queue } = this.#parts;
    const { id, attempt } = run;
    try {
      const offset = await logs.begin(run);
      if (attempt > 1) await queue.noteLogOffset({ id, attempt, offset });
    } catch (error) {
      this.#loggerOf(run).warn({ err: error }, 'writing the log of a run failed');
    }
  }

  /** The lease of a run that cannot be released ends by its time. */
  async #takeBack(claimed: readonly ClaimedRun[]): Promise<void> {
    for (const { input } of claimed) {
      await this.#parts.leases.takeBack(input.run).catch((error: unknown) => {
        this.#loggerOf(input.run).warn({ err: error }, 'releasing a run failed');
      });
    }
  }

  /** A worker that does not know of a run never got it, or has lost it with its state. */
  async #interruptUnlisted(worker: WorkerKey, holding: readonly Hold[]): Promise<void> {
    const { leases } = this.#parts;
    const listed = new Set(holding.map(({ id, fence }) => `${id}/${fence}`));
    for (const { id, attempt } of leases.heldBy(worker)) {
      if (!listed.has(`${id}/${attempt}`)) await leases.interrupt(id);
    }
  }

  #loggerOf({ factory, id, attempt }: Run): Logger {
    return this.#parts.logger.child({ factory, run: id, attempt });
  }
}

/** Begins with another factory each time, so that none waits forever behind a busy one. */
function rotate<T>(items: readonly T[], turns: number): T[] {
  const first = items.length === 0 ? 0 : turns % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

import { AppError } from '../domain/errors.ts';
import type { RunId } from '../domain/ids.ts';
import type { RunControl } from '../domain/ports/runs/run-control.ts';
import type { RunGroup } from '../domain/ports/runs/run-group.ts';
import type { RunQueue, RunReader } from '../domain/ports/runs/run-queue.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { FactoryQueue } from './factory-queue.ts';
import type { RunLeases } from './run-leases.ts';

interface CancelParts {
  queue: Pick<RunQueue, 'cancelQueued'>;
  runs: Pick<RunReader, 'get'>;
  /** The queues of all factories. */
  queues(): readonly FactoryQueue[];
  leases: Pick<RunLeases, 'cancel' | 'holds'>;
  group: RunGroup;
  /** Does this daemon know what workers and receivers hold? */
  leads(): boolean;
  clock: Clock;
  /** A queued run ended. */
  onCancelled(id: RunId): Promise<void>;
}

/** Cancels runs that wait, that this daemon executes, and that others hold. */
export class RunCancellation {
  readonly #parts: CancelParts;

  constructor(parts: CancelParts) {
    this.#parts = parts;
  }

  /** As `RunControl.cancel`. */
  async cancel(id: RunId): ReturnType<RunControl['cancel']> {
    const { queue, clock, onCancelled } = this.#parts;
    if (await queue.cancelQueued({ id, at: clock.wallMs() })) {
      await onCancelled(id);
      return 'cancelled';
    }
    return (await this.#cancelExecuted(id)) ?? this.#cancelHeld(id);
  }

  /** Another daemon ordered to cancel this run. Does nothing if it is neither executed here, nor held by a worker or receiver. */
  async follow(id: RunId): Promise<void> {
    const queue = this.#findQueue(id);
    if (queue !== undefined) queue.cancel(id);
    else if (this.#parts.leases.holds(id)) await this.#cancelHeld(id);
  }

  /** Follows the orders of which the message was lost. */
  async followOrders(): Promise<void> {
    const executing = this.#parts.queues().flatMap((queue) => queue.executing());
    if (executing.length === 0) return;
    for (const run of await this.#parts.group.cancelOrders(executing)) await this.follow(run);
  }

  #findQueue(id: RunId): FactoryQueue | undefined {
    return this.#parts.queues().find((queue) => queue.holds(id));
  }

  /** A run that is neither queued nor held may be in a claim that is in progress: wait for it. */
  async #cancelExecuted(id: RunId): Promise<'cancelling' | 'finished' | null> {
    const held = this.#findQueue(id);
    if (held !== undefined) return held.cancel(id);
    await Promise.all(this.#parts.queues().map((queue) => queue.settled()));
    return this.#findQueue(id)?.cancel(id) ?? null;
  }

  /** A worker or a receiver holds the run, another daemon executes it, or nobody does. */
  async #cancelHeld(id: RunId): ReturnType<RunControl['cancel']> {
    const { runs, leases, group, leads } = this.#parts;
    const run = await runs.get(id);
    if (run === null) return 'not_found';
    if (leads() && (await leases.cancel(run))) return 'cancelled';
    if (run.state !== 'queued' && run.state !== 'running') return 'finished';
    if (group.machine === null || run.state === 'queued') {
      const problem = `run ${id} is being claimed or released and cannot be cancelled now; try again in a moment`;
      throw new AppError('conflict', problem);
    }
    await group.orderCancel(id, run.attempt);
    return 'cancelling';
  }
}

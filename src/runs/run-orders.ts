import { AppError } from '../domain/errors.ts';
import type { RunId } from '../domain/ids.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { RunControl } from '../domain/ports/run-control.ts';
import type { RunGroup } from '../domain/ports/run-group.ts';
import type { Admitted, RunQueue, RunReader } from '../domain/ports/run-queue.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { DispatchState } from './dispatch-terms.ts';
import type { FactoryQueues } from './factory-queues.ts';
import type { RunEvents } from './run-events.ts';
import type { RunLeases } from './run-leases.ts';

interface OrderParts {
  queue: Pick<RunQueue, 'admit' | 'cancelQueued' | 'retry'>;
  runs: Pick<RunReader, 'get'>;
  queues: FactoryQueues;
  leases: Pick<RunLeases, 'cancel' | 'holds'>;
  group: RunGroup;
  state: DispatchState;
  clock: Clock;
  logger: Logger;
  events: RunEvents;
}

/** Cancels and retries runs, as people, other daemons and the policies of new runs order it. */
export class RunOrders {
  readonly #parts: OrderParts;

  constructor(parts: OrderParts) {
    this.#parts = parts;
  }

  /** As `RunControl.cancel`. */
  async cancel(id: RunId): ReturnType<RunControl['cancel']> {
    const { queue, clock } = this.#parts;
    if (await queue.cancelQueued({ id, at: clock.wallMs() })) {
      await this.#noteChange(id);
      return 'cancelled';
    }
    return (await this.#cancelExecuted(id)) ?? this.#cancelHeld(id);
  }

  /** As `RunControl.retry`. */
  async retry(...[id, requestedBy]: Parameters<RunControl['retry']>): ReturnType<RunControl['retry']> {
    const { queue, clock } = this.#parts;
    const outcome = await queue.retry({ id, requestedBy, at: clock.wallMs() });
    if (outcome === 'queued') await this.#noteChange(id);
    return outcome;
  }

  /** Another daemon ordered to cancel this run. Does nothing if it is neither executed here, nor held by a worker or receiver. */
  async follow(id: RunId): Promise<void> {
    const queue = this.#parts.queues.executing(id);
    if (queue !== undefined) queue.cancel(id);
    else if (this.#parts.leases.holds(id)) await this.#cancelHeld(id);
  }

  /** Follows the orders of which the message was lost. */
  async followLost(): Promise<void> {
    const { queues, group } = this.#parts;
    const executing = queues.all().flatMap((queue) => queue.executing());
    if (executing.length === 0) return;
    for (const run of await group.cancelOrders(executing)) await this.follow(run);
  }

  /** Applies the policies of new runs of this factory. A failure leaves them to the next claim. */
  async admit(factory: string): Promise<void> {
    const { queue, clock, logger } = this.#parts;
    try {
      this.followAdmitted(await queue.admit({ factory, at: clock.wallMs() }));
    } catch (error) {
      logger.warn({ err: error, factory }, 'applying the concurrency of new runs failed, the next claim repeats it');
    }
  }

  /** Follows what the policies of new runs did to other runs. */
  followAdmitted({ ended, cancel: superseded }: Admitted): void {
    const { events, logger } = this.#parts;
    for (const run of ended) events.emit('changed', run);
    for (const run of superseded) {
      this.cancel(run).catch((error: unknown) =>
        logger.warn({ err: error, run }, 'cancelling a superseded run failed'),
      );
    }
  }

  /** A queued run ended, or an ended run is queued again. */
  async #noteChange(id: RunId): Promise<void> {
    const { runs, events } = this.#parts;
    events.emit('changed', id);
    const run = await runs.get(id);
    if (run !== null) events.emit('startable', run.factory);
  }

  /** A run that is neither queued nor held may be in a claim that is in progress: wait for it. */
  async #cancelExecuted(id: RunId): Promise<'cancelling' | 'finished' | null> {
    const { queues } = this.#parts;
    const held = queues.executing(id);
    if (held !== undefined) return held.cancel(id);
    await Promise.all(queues.all().map((queue) => queue.settled()));
    return queues.executing(id)?.cancel(id) ?? null;
  }

  /** A worker or a receiver holds the run, another daemon executes it, or nobody does. */
  async #cancelHeld(id: RunId): ReturnType<RunControl['cancel']> {
    const { runs, leases, group, state } = this.#parts;
    const run = await runs.get(id);
    if (run === null) return 'not_found';
    if (state.leads && (await leases.cancel(run))) return 'cancelled';
    if (run.state !== 'queued' && run.state !== 'running') return 'finished';
    if (group.machine === null || run.state === 'queued') {
      const problem = `run ${id} is being claimed or released and cannot be cancelled now; try again in a moment`;
      throw new AppError('conflict', problem);
    }
    await group.orderCancel(id, run.attempt);
    return 'cancelling';
  }
}

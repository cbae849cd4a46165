import type { RunId } from '../../domain/ids.ts';
import type { GroupEvent, ReplicaTable } from '../../domain/ports/replicas.ts';
import type { RunGroup } from '../../domain/ports/run-group.ts';
import { RunLease } from './run-lease.ts';

interface RunGroupParts {
  machine: string;
  replicas: Pick<ReplicaTable, 'liveMachines' | 'orderCancel' | 'cancelOrders'>;
  /** The number of replicas, with this one. */
  countReplicas(): number;
  /** As in the settings of the storage. */
  leaseMs: number;
  /** As for `RunLease`. */
  extend(until: number): void;
}

/** The daemons that execute the runs of one database, for a daemon that takes part. */
export class JoinedRunGroup implements RunGroup {
  readonly machine: string;
  readonly #parts: RunGroupParts;
  readonly #lease: RunLease;

  constructor(parts: RunGroupParts) {
    this.machine = parts.machine;
    this.#parts = parts;
    this.#lease = new RunLease(parts.leaseMs, (until) => parts.extend(until));
  }

  /** The database has a sign of life. */
  renew(event: Extract<GroupEvent, { event: 'renewed' }>): void {
    this.#lease.renew(event);
  }

  isLeaseHeld(): boolean {
    return this.#lease.isHeld;
  }

  onLeaseLost(listener: (graceMs: number) => void): void {
    this.#lease.onLost(listener);
  }

  onLeaseHeld(listener: () => void): void {
    this.#lease.onHeld(listener);
  }

  size(): number {
    return this.#parts.countReplicas();
  }

  async liveMachines(): Promise<ReadonlySet<string>> {
    return new Set(await this.#parts.replicas.liveMachines());
  }

  orderCancel(run: RunId, attempt: number): Promise<void> {
    return this.#parts.replicas.orderCancel(run, attempt);
  }

  cancelOrders(runs: readonly { id: RunId; attempt: number }[]): Promise<RunId[]> {
    return this.#parts.replicas.cancelOrders(runs.map(({ id, attempt }) => ({ id, attempt })));
  }

  stop(): void {
    this.#lease.stop();
  }
}

import type { RunId } from '../core/ids.ts';
import type { GroupEvent, ReplicaTable } from '../core/ports/replicas.ts';
import type { RunGroup } from '../core/ports/runs/run-group.ts';
import { RunLease } from './run-lease.ts';

/** The daemons that execute the runs of one database, for a daemon that takes part. */
export class JoinedRunGroup implements RunGroup {
  readonly machine: string;
  readonly #replicas: Pick<ReplicaTable, 'liveMachines' | 'orderCancel' | 'cancelOrders'>;
  readonly #lease: RunLease;
  #size = 1;

  /**
   * @param leaseMs as in the settings of the storage
   * @param extend as for `RunLease`
   */
  constructor(
    machine: string,
    replicas: Pick<ReplicaTable, 'liveMachines' | 'orderCancel' | 'cancelOrders'>,
    leaseMs: number,
    extend: (until: number) => void,
  ) {
    this.machine = machine;
    this.#replicas = replicas;
    this.#lease = new RunLease(leaseMs, extend);
  }

  /** The database has a sign of life. */
  renew(event: Extract<GroupEvent, { event: 'renewed' }>): void {
    this.#size = Math.max(1, event.machines);
    this.#lease.renew(event);
  }

  isLeaseHeld(): boolean {
    return this.#lease.isHeld;
  }

  onLeaseLost(listener: () => void): void {
    this.#lease.onLost(listener);
  }

  onLeaseHeld(listener: () => void): void {
    this.#lease.onHeld(listener);
  }

  size(): number {
    return this.#size;
  }

  async liveMachines(): Promise<ReadonlySet<string>> {
    return new Set(await this.#replicas.liveMachines());
  }

  orderCancel(run: RunId, attempt: number): Promise<void> {
    return this.#replicas.orderCancel(run, attempt);
  }

  cancelOrders(runs: readonly { id: RunId; attempt: number }[]): Promise<RunId[]> {
    return this.#replicas.cancelOrders(runs.map(({ id, attempt }) => ({ id, attempt })));
  }

  stop(): void {
    this.#lease.stop();
  }
}

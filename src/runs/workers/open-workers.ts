import type { WorkerControl } from '../../domain/ports/workers.ts';
import { type RunLeaseParts, RunLeases } from '../run-leases.ts';
import { type RunClaimParts, RunClaims } from './run-claims.ts';
import { WorkerRegistry } from './worker-registry.ts';

export type WorkerParts = Omit<RunLeaseParts, 'registry'> & Omit<RunClaimParts, 'leases' | 'workers'>;

/** What gives runs to workers and follows them. */
export interface Workers {
  leases: RunLeases;
  claims: RunClaims;
  registry: WorkerRegistry;
  control: WorkerControl;
}

export function openWorkers(parts: WorkerParts): Workers {
  const registry = new WorkerRegistry(parts.clock);
  const leases = new RunLeases({ ...parts, registry });
  const claims = new RunClaims({ ...parts, leases, workers: registry });
  const control: WorkerControl = {
    claimable: () => leases.factories(),
    claim: (order) => claims.claim(order),
    start: (hold) => leases.start(hold),
    heartbeat: (hold, report) => leases.heartbeat(hold, report),
    complete: (hold, result, output) => leases.complete(hold, result, output),
    handBack: (hold, reason) => leases.handBack(hold, reason),
    list: () => claims.list(),
  };
  return { leases, claims, registry, control };
}

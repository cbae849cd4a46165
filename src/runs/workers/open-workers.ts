import type { WorkerControl } from '../../domain/ports/runs/worker-control.ts';
import { type RunLeaseParts, RunLeases, type WorkerTerms } from '../run-leases.ts';
import { type RunClaimParts, RunClaims } from './run-claims.ts';
import { WorkerRegistry } from './worker-registry.ts';

export interface WorkerParts extends Omit<RunLeaseParts, 'onReport'>, Omit<RunClaimParts, 'leases' | 'workers'> {
  queue: RunLeaseParts['queue'];
  logs: RunLeaseParts['logs'];
}

/** What gives runs to workers and follows them. */
export interface Workers {
  leases: RunLeases;
  claims: RunClaims;
  registry: WorkerRegistry;
  control: WorkerControl;
}

/** @param terms by factory: those whose runs workers execute */
export function openWorkers(parts: WorkerParts, terms: ReadonlyMap<string, WorkerTerms>): Workers {
  const registry = new WorkerRegistry(parts.clock);
  const onReport: RunLeaseParts['onReport'] = ({ worker }, factory) =>
    worker === undefined ? null : registry.note(worker, [factory]);
  const leases = new RunLeases(Object.assign({ onReport }, parts), terms);
  const claims = new RunClaims(Object.assign({ leases, workers: registry }, parts));
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

import { hostname } from 'node:os';
import { NO_WATCHDOG, type RunWatchdog, WatchdogProcess } from '../runs/executors/watchdog/run-watchdog.ts';
import { createLoneReplica, joinReplicas, type Replicas } from '../storage/replicas/join-replicas.ts';
import type { DaemonState } from './open-daemon-state.ts';

/** This daemon in the group of those that share its storage, and what ends the processes of runs if it cannot. */
export function openGroup(state: DaemonState): { replicas: Replicas; watchdog: RunWatchdog } {
  const { config, machine, storage, clock, parts, logger } = state;
  const self = { name: config.replica.name ?? hostname(), version: state.build.version, startedAt: clock.wallMs() };
  if (machine === null) return { replicas: createLoneReplica(self), watchdog: NO_WATCHDOG };
  const watchdog = new WatchdogProcess(logger);
  const replicas = joinReplicas({
    self,
    machine,
    leaseMs: config.replica.runLeaseMs,
    extendLease: (until) => watchdog.extend(until),
    ...state.group,
    deliveries: storage.deliveryReader,
    receive: parts.receive,
    clock,
    logger,
  });
  parts.add({ name: 'watchdog', stop: () => watchdog.close() }, replicas.part);
  parts.join(replicas.elsewhere);
  return { replicas, watchdog };
}

import type { Part } from '../domain/part.ts';
import { scheduleCall } from '../domain/time/schedule.ts';
import { addLiveConditions } from '../operations/health/add-live-conditions.ts';
import { createHealth } from '../operations/health/health.ts';
import { createLiveConditions, listWarnings } from '../operations/health/live-conditions.ts';
import { RunSecrets } from '../operations/health/run-secrets.ts';
import type { DaemonObservers } from './observe-daemon.ts';
import type { DaemonState } from './open-daemon-state.ts';

/** What the daemon knows of its state: conditions, readiness, and the inventory with them. */
export function openHealth(state: DaemonState, { registry }: Pick<DaemonObservers, 'registry'>) {
  const { config, storage, sealed, steadyClock, lock, isConfigured, parts, logger } = state;
  const nowMs = () => steadyClock.wallMs();
  const conditions = createLiveConditions({ config, collect: (factory) => parts.conditions(factory), nowMs, logger });
  // The condition is logged when the lock changes, not when somebody asks.
  lock.onChange(() => conditions.ofDaemon());
  const runSecrets = new RunSecrets({
    inventory: storage.inventoryReader,
    secrets: sealed.secrets,
    nowMs,
  });
  parts.add(followSecrets(runSecrets));
  const health = createHealth({
    storage,
    databaseLock: lock,
    listWarnings: () => listWarnings(config, conditions),
    schedule: scheduleCall,
  });
  const inventory = addLiveConditions(storage.inventoryReader, {
    conditions,
    runSecrets,
    registry,
    isConfigured,
  });
  return { health, conditions, inventory };
}

function followSecrets(runSecrets: RunSecrets): Part {
  return {
    name: 'secrets of runs',
    on: {
      secretStored: () => runSecrets.onSecretChanged(),
      reconciled: ({ factory, result }) => {
        if (result === 'applied') runSecrets.onApplied(factory);
      },
    },
  };
}

import type { ReconcileControl } from '../../domain/ports/definitions/reconciler.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { ReplicaGroup } from '../../domain/ports/replicas.ts';

/** A reconciliation that somebody waits for ends when all replicas serve what it applied. */
export function waitForReplicas(
  control: ReconcileControl,
  group: Pick<ReplicaGroup, 'untilLive'>,
  logger: Logger,
): ReconcileControl {
  return {
    ...control,
    reconcileNow: async (factory) => {
      const reconciliation = await control.reconcileNow(factory);
      const behind = await group.untilLive(factory);
      const names = behind.map(({ name }) => name);
      if (names.length > 0) logger.warn({ factory, replicas: names }, 'replicas do not serve yet what was applied');
      return reconciliation;
    },
  };
}

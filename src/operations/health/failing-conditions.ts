import type { Failing, InventoryReader } from '../../domain/ports/definitions/inventory.ts';
import type { Condition } from '../../domain/reconciliation.ts';
import { describeFailingCredentials, describeFailingRuns } from '../../reconcile/conditions.ts';

/** The conditions of each factory that its recent deliveries and runs cause. One read answers for all factories. */
export async function findFailing(
  inventory: Pick<InventoryReader, 'failing'>,
): Promise<(factory: string) => Condition[]> {
  const failing = await inventory.failing();
  return (factory) => describeFailing(failing, factory);
}

function describeFailing({ webhooks, automations }: Failing, factory: string): Condition[] {
  const credentials = webhooks.flatMap(({ factory: of, name, traffic: { lastAcceptedAt, credentialFailure } }) =>
    of === factory && credentialFailure !== null ? [{ name, lastAcceptedAt, failure: credentialFailure }] : [],
  );
  const runs = automations.flatMap(({ factory: of, name, results: { failedInARow, failingSince } }) =>
    of === factory && failingSince !== null ? [{ name, failedInARow, failingSince }] : [],
  );
  return [...describeFailingCredentials(credentials), ...describeFailingRuns(runs)];
}

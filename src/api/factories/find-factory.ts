import type { FactoryView } from '../../domain/applies/reconciliation.ts';
import { AppError } from '../../domain/errors.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';

/** A factory with all its conditions. Throws `not_found` if it was forgotten after the check of the request. */
export async function findFactory(inventory: Pick<InventoryReader, 'factories'>, name: string): Promise<FactoryView> {
  const found = (await inventory.factories()).find((factory) => factory.name === name);
  if (found === undefined) throw new AppError('not_found', 'There is no such factory.');
  return found;
}

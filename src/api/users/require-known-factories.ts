import { AppError, type ProblemItem } from '../../core/errors.ts';
import type { InventoryReader } from '../../core/ports/definitions/inventory.ts';

/** A misspelt factory would give rights to nothing, and nobody would know why. Throws `bad_request`. */
export async function requireKnownFactories(
  inventory: Pick<InventoryReader, 'factories'>,
  names: readonly string[],
): Promise<void> {
  const known = new Set((await inventory.factories()).map(({ name }) => name));
  const unknown = names.flatMap((name, i): ProblemItem[] =>
    known.has(name) ? [] : [{ pointer: `#/factories/${i}`, in: 'body', detail: 'is not a factory of this daemon' }],
  );
  if (unknown.length > 0) {
    throw new AppError('bad_request', 'The body names factories that do not exist here.', { details: unknown });
  }
}

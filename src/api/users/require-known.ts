import type { User } from '../../domain/access/access.ts';
import { AppError, type ProblemItem } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { UserTable } from '../../domain/ports/access.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';

/** The user of that ID; throws `not_found`. */
export async function findUser({ users }: { users: Pick<UserTable, 'get'> }, id: string): Promise<User> {
  const user = await users.get(id as UserId);
  if (user === null) throw unknownUser();
  return user;
}

export function unknownUser(): AppError {
  return new AppError('not_found', 'There is no such user.');
}

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

import type { User } from '../../core/access.ts';
import { AppError } from '../../core/errors.ts';
import type { UserId } from '../../core/ids.ts';
import type { UserTable } from '../../core/ports/access/user-table.ts';

/** The user of that ID; throws `not_found`. */
export async function findUser({ users }: { users: Pick<UserTable, 'get'> }, id: string): Promise<User> {
  const user = await users.get(id as UserId);
  if (user === null) throw unknownUser();
  return user;
}

export function unknownUser(): AppError {
  return new AppError('not_found', 'There is no such user.');
}

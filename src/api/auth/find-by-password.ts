import type { User } from '../../core/access.ts';
import type { UserTable } from '../../core/ports/access/user-table.ts';
import type { PasswordTries } from './password-tries.ts';
import type { Passwords } from './passwords.ts';

/** What recognising a user takes. */
export interface PasswordParts {
  users: UserTable;
  passwords: Passwords;
  passwordTries: PasswordTries;
}

/**
 * The user of that name and password; `null`, after the same time, where either is wrong or the user is disabled.
 * Throws `too_many_requests` where the address or the name has had its guesses.
 */
export async function findByPassword(
  { users, passwords, passwordTries }: PasswordParts,
  { name, password, address }: { name: string; password: string; address: string },
): Promise<User | null> {
  const found = await users.findLocal(name);
  const isEnabled = found !== null && found.user.disabledAt === null;
  const isRight = await passwords.verify(found?.passwordHash ?? null, password, {
    // When the turn has come: many guesses at one moment must not all pass before the first has failed.
    before: () => passwordTries.check(name, address),
    after: (isEqual) => {
      if (isEqual && isEnabled) passwordTries.noteSuccess(name, address);
      else passwordTries.noteFailure(name, address);
    },
  });
  return isRight && isEnabled ? found.user : null;
}

import type { User } from '../../domain/access/access.ts';
import type { UserTable } from '../../domain/ports/access.ts';
import type { PasswordAttempts } from './password-attempts.ts';
import type { Passwords } from './passwords.ts';

export interface PasswordParts {
  users: UserTable;
  passwords: Passwords;
  passwordAttempts: PasswordAttempts;
}

/**
 * The user of that name and password; `null`, after the same time, if either is wrong or the user is disabled.
 * Throws `too_many_requests` if the address or the name has used all of its attempts.
 */
export async function findByPassword(
  { users, passwords, passwordAttempts }: PasswordParts,
  { name, password, address }: { name: string; password: string; address: string },
): Promise<User | null> {
  const found = await users.findLocal(name);
  const isEnabled = found !== null && found.user.disabledAt === null;
  const isRight = await passwords.verify(found?.passwordHash ?? null, password, {
    // Checked when its turn comes: many concurrent guesses must not all pass before the first one has failed.
    before: () => passwordAttempts.check(name, address),
    after: (isEqual) => {
      if (isEqual && isEnabled) passwordAttempts.noteSuccess(name, address);
      else passwordAttempts.noteFailure(name, address);
    },
  });
  return isRight && isEnabled ? found.user : null;
}

import type { User } from '../../../../client/api-types.ts';

type Owner = Pick<User, 'id' | 'role' | 'factories' | 'disabled'>;

/** Whether this user may manage other users. The daemon checks the same (storage, `isLastOwner`). */
export function isTeamOwner({ role, factories, disabled }: Omit<Owner, 'id'>): boolean {
  return role === 'owner' && factories === null && !disabled;
}

/** Whether this is the only user who can manage users. Used to explain it in advance; the daemon rejects the change. */
export function isLastOwner(user: Owner, users: readonly Owner[]): boolean {
  return isTeamOwner(user) && users.filter(isTeamOwner).length === 1;
}

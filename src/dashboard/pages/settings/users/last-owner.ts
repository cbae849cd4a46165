import type { User } from '../../../api/types.ts';

type Owner = Pick<User, 'id' | 'role' | 'factories' | 'disabled'>;

/** May this user manage the others? The daemon decides by the same three (storage, `isLastOwner`). */
export function isTeamOwner({ role, factories, disabled }: Omit<Owner, 'id'>): boolean {
  return role === 'owner' && factories === null && !disabled;
}

/** Would nobody be left who may manage users? For saying so in advance; the daemon refuses it in any case. */
export function isLastOwner(user: Owner, users: readonly Owner[]): boolean {
  return isTeamOwner(user) && users.filter(isTeamOwner).length === 1;
}

import { createContext, useContext } from 'react';
import type { SessionUser } from '../../api/session.ts';
import type { Role } from '../../api/types.ts';

/** Who is signed in; provided by the session gate. */
export const SessionContext = createContext<SessionUser | null>(null);

export function useSessionUser(): SessionUser {
  const user = useContext(SessionContext);
  if (user === null) throw new Error('this part stands outside of the session gate');
  return user;
}

/** Roles, each holding the earlier. */
const ROLES: readonly Role[] = ['viewer', 'operator', 'manager', 'owner'];

/** May the signed-in user do what needs this role? For hiding what would be refused; the daemon decides. */
export function useMay(role: Role): boolean {
  return ROLES.indexOf(useSessionUser().role) >= ROLES.indexOf(role);
}

/** May the signed-in user see and change what belongs to the whole team: secrets, tokens, users, the audit log? */
export function useManagesTeam(): boolean {
  const isOwner = useMay('owner');
  return useSessionUser().factories === null && isOwner;
}

import { createContext, useContext } from 'react';
import type { Role } from '../../../client/api-types.ts';
import type { SessionUser } from '../../api/session.ts';

/** The signed-in user; provided by `SessionGate`. */
export const SessionContext = createContext<SessionUser | null>(null);

export function useSessionUser(): SessionUser {
  const user = useContext(SessionContext);
  if (user === null) throw new Error('useSessionUser needs a SessionGate');
  return user;
}

/** Each role includes the previous ones. */
const ROLES: readonly Role[] = ['viewer', 'operator', 'manager', 'owner'];

/** Whether the signed-in user has this role. Used to hide controls; the daemon enforces the permission. */
export function useMay(role: Role): boolean {
  return ROLES.indexOf(useSessionUser().role) >= ROLES.indexOf(role);
}

/** Whether the signed-in user may access team resources: secrets, tokens, users, the audit log. */
export function useManagesTeam(): boolean {
  const isOwner = useMay('owner');
  return useSessionUser().factories === null && isOwner;
}

import { LockKeyhole } from 'lucide-react';
import type { Role } from '../api/types.ts';
import { EmptyState } from '../parts/layout/empty-state.tsx';
import { useSessionUser } from './context/session-user.ts';

/** In the place of what the reader's role or reach does not show: says which role does. */
export function RoleNotice({ what, needs, isOne = false }: { what: string; needs: Role; isOne?: boolean }) {
  const user = useSessionUser();
  const limits = user.factories === null ? '' : `, limited to ${user.factories.join(', ')}`;
  return (
    <EmptyState icon={LockKeyhole} title={`${what} ${isOne ? 'is' : 'are'} for the role ${needs}`}>
      {isOne ? 'It belongs' : 'They belong'} to the whole team. You are signed in as {user.role}
      {limits}. Ask an owner to do what you need, or for the role.
    </EmptyState>
  );
}

import { LockKeyhole } from 'lucide-react';
import { EmptyState } from '../parts/layout/empty-state.tsx';
import { useSessionUser } from './context/session-user.ts';

/** Shown instead of a page that needs the owner role for all factories. */
export function RoleNotice({ what, isOne = false }: { what: string; isOne?: boolean }) {
  const user = useSessionUser();
  const limits = user.factories === null ? '' : `, limited to ${user.factories.join(', ')}`;
  return (
    <EmptyState icon={LockKeyhole} title={`${what} ${isOne ? 'requires' : 'require'} the owner role`}>
      Only owners with access to all factories can open this page. Your role is {user.role}
      {limits}. Ask an owner for access.
    </EmptyState>
  );
}

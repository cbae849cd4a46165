import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { UserPlus, Users as UsersIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { User } from '../../../../client/api-types.ts';
import { usersQuery } from '../../../api/users.ts';
import { EmptyState } from '../../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { StatusBadge } from '../../../parts/layout/status-badge.tsx';
import { type DataColumn, DataTable } from '../../../parts/table/data-table.tsx';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../../parts/time/time-text.tsx';
import { useManagesTeam, useSessionUser } from '../../../shell/context/session-user.ts';
import { RoleNotice } from '../../../shell/role-notice.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { AddUser } from './add-user.tsx';
import { UserDialog, type UserDialogKind } from './user-dialog.tsx';
import { UserMenu } from './user-menu.tsx';

/** Users who sign in to the dashboard. */
export function UsersPage() {
  const managesTeam = useManagesTeam();
  return <SettingsFrame>{managesTeam ? <Users /> : <RoleNotice what="Users" />}</SettingsFrame>;
}

function Users() {
  const { data: users, error, refetch } = useQuery(usersQuery);
  const { id: ownId } = useSessionUser();
  const [isAdding, setIsAdding] = useState(false);
  const [opened, setOpened] = useState<{ user: User; kind: UserDialogKind } | null>(null);
  const add = (
    <Button leftSection={<UserPlus size={16} />} onClick={() => setIsAdding(true)}>
      Add user
    </Button>
  );
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed" size="sm" maw={560}>
          People who sign in to the dashboard. For programs, create an API token.
        </Text>
        {users?.length !== 0 && add}
      </Group>
      <DataTable
        label="Users"
        columns={buildColumns(ownId, (user, kind) => setOpened({ user, kind }))}
        rows={users && sortByName(users)}
        rowKey={({ id }) => id}
        empty={<NoUsers action={add} />}
      />
      {isAdding && <AddUser onClose={() => setIsAdding(false)} />}
      {opened !== null && <UserDialog {...opened} users={users ?? []} onClose={() => setOpened(null)} />}
    </Stack>
  );
}

function sortByName(users: readonly User[]): User[] {
  return [...users].sort((a, b) => a.name.localeCompare(b.name));
}

function buildColumns(ownId: string, onOpen: (user: User, kind: UserDialogKind) => void): DataColumn<User>[] {
  return [
    { header: 'Name', render: (user) => <UserName user={user} isSelf={user.id === ownId} /> },
    { header: 'Role', render: ({ role }) => role },
    { header: 'Factories', render: ({ factories }) => (factories === null ? 'All' : factories.join(', ')) },
    { header: 'Sign-in method', render: ({ kind }) => (kind === 'oidc' ? 'OpenID Connect' : 'Password') },
    {
      header: 'Last sign-in',
      render: ({ last_sign_in_at }) => (last_sign_in_at === null ? 'Never' : <TimeText at={last_sign_in_at} />),
    },
    {
      header: 'Actions',
      hideHeader: true,
      align: 'end',
      render: (user) => <UserMenu user={user} isSelf={user.id === ownId} onChoose={(kind) => onOpen(user, kind)} />,
    },
  ];
}

function UserName({ user: { name, disabled }, isSelf }: { user: User; isSelf: boolean }) {
  return (
    <Group gap="xs">
      <Text size="sm" fw={600} c={disabled ? 'dimmed' : undefined}>
        <UntrustedText text={name} />
      </Text>
      {isSelf && (
        <Badge variant="light" radius="sm" tt="none">
          You
        </Badge>
      )}
      {disabled && <StatusBadge state="disabled" />}
    </Group>
  );
}

function NoUsers({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={UsersIcon} title="No users yet" action={action}>
      You are signed in with a login link or an API token. Add yourself as an owner first. Then add your team members,
      each with the lowest role that they need.
    </EmptyState>
  );
}

import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ApiToken } from '../../../../client/api-types.ts';
import { expiresSoon, hasExpired } from '../../../../domain/words/credentials.ts';
import { tokensQuery } from '../../../api/tokens.ts';
import { EmptyState } from '../../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { type DataColumn, DataTable } from '../../../parts/table/data-table.tsx';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { TimeText, TimeUntil } from '../../../parts/time/time-text.tsx';
import { useManagesTeam } from '../../../shell/context/session-user.ts';
import { RoleNotice } from '../../../shell/role-notice.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { CreateToken } from './create-token.tsx';
import { RevokeToken } from './revoke-token.tsx';

/** API tokens for scripts and other programs. */
export function TokensPage() {
  const managesTeam = useManagesTeam();
  return <SettingsFrame>{managesTeam ? <Tokens /> : <RoleNotice what="API tokens" />}</SettingsFrame>;
}

function Tokens() {
  const { data: tokens, error, refetch } = useQuery(tokensQuery);
  const [isCreating, setIsCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiToken | null>(null);
  const create = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      Create token
    </Button>
  );
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed" size="sm" maw={560}>
          For scripts, the command line and monitoring. Create a token for each use, with the lowest role that it needs.
        </Text>
        {tokens?.length !== 0 && create}
      </Group>
      <DataTable
        label="API tokens"
        columns={[...COLUMNS, revokeColumn(setRevoked)]}
        rows={tokens}
        rowKey={({ id }) => id}
        empty={<NoTokens action={create} />}
      />
      {isCreating && <CreateToken onClose={() => setIsCreating(false)} />}
      {revoked !== null && <RevokeToken token={revoked} onClose={() => setRevoked(null)} />}
    </Stack>
  );
}

const COLUMNS: DataColumn<ApiToken>[] = [
  {
    header: 'Name',
    render: ({ name, id }) => (
      <>
        <Text size="sm" fw={600}>
          <UntrustedText text={name} />
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {id}
        </Text>
      </>
    ),
  },
  { header: 'Role', render: ({ role }) => role },
  { header: 'Factories', render: ({ factories }) => (factories === null ? 'All' : factories.join(', ')) },
  { header: 'Expires', render: (token) => <Expiry token={token} /> },
  { header: 'Created', render: ({ created_at }) => <TimeText at={created_at} /> },
  {
    header: 'Last used',
    render: ({ last_used_at }) => (last_used_at === null ? 'Never' : <TimeText at={last_used_at} />),
  },
];

function Expiry({ token: { expires_at: at } }: { token: ApiToken }) {
  if (at === null) return 'Never';
  const expiresAt = Date.parse(at);
  const nowMs = Date.now();
  if (hasExpired({ expiresAt }, nowMs)) return <Badge color="red">Expired</Badge>;
  return (
    <Group gap="xs">
      <TimeUntil at={at} />
      {expiresSoon({ expiresAt }, nowMs) && <Badge color="orange">Soon</Badge>}
    </Group>
  );
}

function revokeColumn(onRevoke: (token: ApiToken) => void): DataColumn<ApiToken> {
  return {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    render: (token) => (
      <Button
        size="xs"
        variant="subtle"
        color="red"
        aria-label={`Revoke ${token.name}`}
        onClick={() => onRevoke(token)}
      >
        Revoke
      </Button>
    ),
  };
}

function NoTokens({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={KeyRound} title="No API tokens yet" action={action}>
      Scripts send a token in the header <Code>Authorization: Bearer dbk_…</Code>
    </EmptyState>
  );
}

import { Anchor, Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Secret } from '../../../client/api-types.ts';
import { describeScope, isUnusable } from '../../../domain/words/credentials.ts';
import { StoreSecret } from '../../parts/dialog/store-secret.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { secretPath } from '../../paths.ts';
import { ChangeScope } from './change-scope.tsx';
import { DeleteSecret } from './delete-secret.tsx';
import { describeUpdate } from './describe-secret.ts';
import { SecretUses } from './secret-uses.tsx';

interface SecretsTableProps {
  secrets: readonly Secret[] | undefined;
  empty: ReactNode;
}

export function SecretsTable({ secrets, empty }: SecretsTableProps) {
  const [updated, setUpdated] = useState<Secret | null>(null);
  const [deleted, setDeleted] = useState<Secret | null>(null);
  const [scoped, setScoped] = useState<Secret | null>(null);
  const columns: DataColumn<Secret>[] = [
    {
      header: 'Name',
      render: ({ name }) => (
        <Anchor component={Link} href={secretPath(name)} ff="monospace" fw={600} size="sm" miw="min(24ch, 50vw)">
          {name}
        </Anchor>
      ),
    },
    {
      header: 'Scope',
      render: ({ scope }) => (
        <Text size="sm" {...(isUnusable(scope) ? { c: 'orange' } : {})}>
          {describeScope(scope)}
        </Text>
      ),
    },
    { header: 'Version', render: (secret) => <Version {...secret} /> },
    { header: 'Used by', render: (secret) => <SecretUses secret={secret} /> },
    {
      header: 'Actions',
      hideHeader: true,
      align: 'end',
      render: (secret) => (
        <Group gap="xs" justify="flex-end">
          <Button size="xs" variant="default" aria-label={`Update ${secret.name}`} onClick={() => setUpdated(secret)}>
            Update
          </Button>
          <Button size="xs" variant="default" aria-label={`Scope of ${secret.name}`} onClick={() => setScoped(secret)}>
            Scope
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            aria-label={`Delete ${secret.name}`}
            onClick={() => setDeleted(secret)}
          >
            Delete
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <>
      <DataTable label="Secrets" columns={columns} rows={secrets} rowKey={({ name }) => name} empty={empty} />
      <StoreSecret
        opened={updated !== null}
        onClose={() => setUpdated(null)}
        mode="update"
        name={updated?.name ?? ''}
        effects={updated === null ? [] : describeUpdate(updated)}
      />
      {scoped !== null && <ChangeScope secret={scoped} onClose={() => setScoped(null)} />}
      {deleted !== null && <DeleteSecret secret={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

function Version({ version, updated_at }: Secret) {
  return (
    <>
      <Text size="sm">{version}</Text>
      <Text size="xs" c="dimmed">
        <TimeText at={updated_at} />
      </Text>
    </>
  );
}

import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Ban, KeyRound, Plus, RefreshCcw } from 'lucide-react';
import { useState } from 'react';
import type { Secret } from '../../../client/api-types.ts';
import { isUnusable } from '../../../domain/words/credentials.ts';
import { factoriesQuery } from '../../api/queries.ts';
import { listOutdated, secretsQuery } from '../../api/secrets.ts';
import { StoreSecret } from '../../parts/dialog/store-secret.tsx';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { useManagesTeam } from '../../shell/context/session-user.ts';
import { RoleNotice } from '../../shell/role-notice.tsx';
import { SecretsTable } from './secrets-table.tsx';

/** Team secrets, who uses which version, and when the latest version takes effect. */
export function SecretsPage() {
  if (useManagesTeam()) return <OwnersPage />;
  return (
    <>
      <PageHeader title="Secrets" />
      <RoleNotice what="Secrets" />
    </>
  );
}

function OwnersPage() {
  const { data: secrets, error, refetch } = useQuery(secretsQuery);
  const { data: factories = [] } = useQuery(factoriesQuery);
  const [isCreating, setIsCreating] = useState(false);
  const create = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      Create secret
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Secrets"
        lead="Secrets that webhooks verify deliveries with and that runs receive. Values are encrypted and can never be read back."
        actions={secrets?.length === 0 ? undefined : create}
      />
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <Stack>
          <UnusableNotice secrets={secrets ?? []} />
          <OutdatedNotice secrets={secrets ?? []} />
          <SecretsTable secrets={secrets} empty={<NoSecrets action={create} />} />
        </Stack>
      )}
      <StoreSecret
        opened={isCreating}
        onClose={() => setIsCreating(false)}
        mode="create"
        name={null}
        effects={[]}
        factories={factories.length === 1 ? factories.map(({ name }) => name) : []}
      />
    </>
  );
}

function UnusableNotice({ secrets }: { secrets: readonly Secret[] }) {
  const names = secrets.filter(({ scope }) => isUnusable(scope)).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <Alert color="orange" variant="light" icon={<Ban />} title="Secrets that no factory may use">
      <Text size="sm">Select the factories with the button “Scope”: {names.join(', ')}.</Text>
    </Alert>
  );
}

function OutdatedNotice({ secrets }: { secrets: readonly Secret[] }) {
  const count = secrets.flatMap(listOutdated).length;
  if (count === 0) return null;
  const title = `${count === 1 ? '1 webhook still uses' : `${count} webhooks still use`} an older version`;
  return (
    <Alert color="orange" variant="light" icon={<RefreshCcw />} title={title}>
      <Text size="sm">
        Senders must keep using the old value until the webhook switches to the new one. The table shows when each
        webhook switches. Update its sender at the same time.
      </Text>
    </Alert>
  );
}

function NoSecrets({ action }: { action: React.ReactNode }) {
  return (
    <EmptyState icon={KeyRound} title="No secrets yet" action={action}>
      Store the secret that a sender and a webhook share. Then refer to it in the webhook definition:{' '}
      <Code>secretName: CI_WEBHOOK_SECRET</Code>
    </EmptyState>
  );
}

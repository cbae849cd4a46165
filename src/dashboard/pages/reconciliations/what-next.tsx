import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { History, Hourglass, Wrench } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { DiagnosticView, Factory, Reconciliation } from '../../../client/api-types.ts';
import { reconciliationsQuery } from '../../api/reconciliations.ts';
import { StoreSecret } from '../../parts/dialog/store-secret.tsx';
import { useLiveEvents } from '../../parts/live/use-live-events.ts';
import { TimeText } from '../../parts/time/time-text.tsx';
import { objectPath } from '../../paths.ts';
import { useMay, useSessionUser } from '../../shell/context/session-user.ts';

type Summary = Pick<Reconciliation, 'id' | 'factory' | 'reason_text' | 'finished_at'>;

interface WhatNextProps {
  reconciliation: Reconciliation;
  factory: Factory;
}

/** Whether the revision of this reconciliation is still live. */
export function isLive({ result, revision }: Reconciliation, { applied_revision }: Factory): boolean {
  return result === 'applied' && revision === applied_revision;
}

/** The next step after a reconciliation that failed, or a link to a later one. */
export function WhatNext({ reconciliation, factory }: WhatNextProps) {
  const later = useLaterReconciliation(reconciliation);
  if (reconciliation.result === 'applied')
    return isLive(reconciliation, factory) || later === null ? null : <LaterReconciliation later={later} />;
  if (reconciliation.result === 'unchanged') return later === null ? null : <LaterReconciliation later={later} />;
  const names = reconciliation.result === 'failed' ? listMissingSecrets(reconciliation.diagnostics) : [];
  if (names.length > 0) return <WaitsForSecrets names={names} factory={factory} later={later} />;
  if (later !== null) return <LaterReconciliation later={later} />;
  return reconciliation.result === 'invalid' ? (
    <WaitsForCommit factory={factory} />
  ) : (
    <WaitsForOutside factory={factory} />
  );
}

/** The most recent reconciliation, if it is another one. */
function useLaterReconciliation({ id, factory }: Reconciliation): Summary | null {
  const queryClient = useQueryClient();
  const query = reconciliationsQuery(factory);
  const { data } = useInfiniteQuery(query);
  useLiveEvents(({ type, data: event }) => {
    if (type === 'reconciliation' && event.factory === factory) {
      void queryClient.invalidateQueries({ queryKey: query.queryKey });
    }
  });
  const newest = data?.pages[0]?.data[0];
  return newest === undefined || newest.id === id ? null : newest;
}

function LaterReconciliation({ later: { id, factory, reason_text, finished_at } }: { later: Summary }) {
  return (
    <Alert color="gray" variant="light" icon={<History />} title="A later reconciliation has finished">
      <Text size="sm" component="div">
        {reason_text.replace(/\.$/, '')}, <TimeText at={finished_at} />.{' '}
        <Anchor component={Link} href={objectPath(factory, 'reconciliations', id)} size="sm" underline="always">
          View the most recent reconciliation
        </Anchor>
      </Text>
    </Alert>
  );
}

function describeLiveState({ applied_revision }: Factory): string {
  return applied_revision === null ? 'No definition is live yet' : 'The previous definition stays live';
}

function WaitsForCommit({ factory }: { factory: Factory }) {
  const { source } = factory;
  const advice =
    source?.type === 'repository'
      ? `Fix the errors in the repository and push to ${source.branch}.`
      : 'Fix the errors.';
  return (
    <Alert color="orange" variant="light" icon={<Wrench />} title={describeLiveState(factory)}>
      {advice} Nothing from this commit was applied.
    </Alert>
  );
}

function WaitsForOutside({ factory }: { factory: Factory }) {
  return (
    <Alert color="orange" variant="light" icon={<Hourglass />} title={describeLiveState(factory)}>
      The cause is outside the definition. Dockbell retries automatically.
    </Alert>
  );
}

const MISSING_RULES = new Set(['secret/missing', 'automation/missing-run-secret']);

/** Names of missing secrets in findings, whose messages end with the name. */
function listMissingSecrets(diagnostics: readonly DiagnosticView[]): string[] {
  const names = diagnostics
    .filter(({ rule }) => MISSING_RULES.has(rule))
    .map(({ message }) => /team secret named ([A-Za-z_][A-Za-z0-9_]*)/.exec(message)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

interface WaitsForSecretsProps {
  names: string[];
  factory: Factory;
  later: Summary | null;
}

function WaitsForSecrets({ names, factory, later }: WaitsForSecretsProps) {
  const isOwner = useMay('owner');
  const { factories } = useSessionUser();
  const [created, setCreated] = useState<string | null>(null);
  const mayCreate = isOwner && factories === null;
  // The dialog may show a one-time value, so it stays open after the reconciliation that it caused.
  if (later !== null && created === null) return <LaterReconciliation later={later} />;
  return (
    <Alert color="orange" variant="light" icon={<Hourglass />} title="Waiting for secrets">
      <Stack gap="sm">
        <Text size="sm">
          {describeLiveState(factory)}. Create these secrets, or extend their scope. Dockbell then retries the apply
          automatically.
        </Text>
        {names.map((name) => (
          <Group key={name} gap="sm">
            <Code>{name}</Code>
            {mayCreate ? (
              <Button size="xs" onClick={() => setCreated(name)}>
                Create {name}
              </Button>
            ) : (
              <Text size="sm">Ask an owner to create it, or to extend its scope.</Text>
            )}
          </Group>
        ))}
      </Stack>
      <StoreSecret
        opened={created !== null}
        onClose={() => setCreated(null)}
        mode="create"
        name={created ?? ''}
        factories={[factory.name]}
        effects={['Dockbell retries the apply immediately.']}
      />
    </Alert>
  );
}

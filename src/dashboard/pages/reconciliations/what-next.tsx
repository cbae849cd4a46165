import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { History, Hourglass, Wrench } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { reconciliationsQuery } from '../../api/reconciliations.ts';
import type { Factory, Reconciliation } from '../../api/types.ts';
import { StoreSecret } from '../../parts/dialog/store-secret.tsx';
import { useLiveEvents } from '../../parts/live/use-live-events.ts';
import { TimeText } from '../../parts/time/time-text.tsx';
import { useMay, useSessionUser } from '../../shell/context/session-user.ts';
import { listMissingSecrets } from './list-missing-secrets.ts';
import { reconciliationPath } from './reconciliation-path.ts';

type Summary = Pick<Reconciliation, 'id' | 'factory' | 'reason_text' | 'finished_at'>;

interface WhatNextProps {
  pass: Reconciliation;
  factory: Factory;
}

/** Is what this pass applied still what the factory serves? */
export function isLive({ result, revision }: Reconciliation, { applied_revision }: Factory): boolean {
  return result === 'applied' && revision === applied_revision;
}

/** What a pass that changed nothing waits for, and what the reader can do about it; of an old one, what came later. */
export function WhatNext({ pass, factory }: WhatNextProps) {
  const later = useLaterPass(pass);
  if (pass.result === 'applied') return isLive(pass, factory) || later === null ? null : <LaterPass later={later} />;
  if (pass.result === 'unchanged') return later === null ? null : <LaterPass later={later} />;
  const names = pass.result === 'failed' ? listMissingSecrets(pass.diagnostics) : [];
  if (names.length > 0) return <WaitsForSecrets names={names} factory={factory} later={later} />;
  if (later !== null) return <LaterPass later={later} />;
  return pass.result === 'invalid' ? <WaitsForCommit factory={factory} /> : <WaitsForOutside factory={factory} />;
}

/** The newest pass where that is another one. */
function useLaterPass({ id, factory }: Reconciliation): Summary | null {
  const queryClient = useQueryClient();
  const query = reconciliationsQuery(factory);
  const { data } = useInfiniteQuery(query);
  useLiveEvents(({ type, data: told }) => {
    if (type === 'reconciliation' && told.factory === factory) {
      void queryClient.invalidateQueries({ queryKey: query.queryKey });
    }
  });
  const newest = data?.pages[0]?.data[0];
  return newest === undefined || newest.id === id ? null : newest;
}

function LaterPass({ later: { id, factory, reason_text, finished_at } }: { later: Summary }) {
  return (
    <Alert color="gray" variant="light" icon={<History />} title="A later reconciliation has finished">
      <Text size="sm" component="div">
        {reason_text.replace(/\.$/, '')}, <TimeText at={finished_at} />.{' '}
        <Anchor component={Link} href={reconciliationPath(factory, id)} size="sm" underline="always">
          View the most recent reconciliation
        </Anchor>
      </Text>
    </Alert>
  );
}

function sayWhatServes({ applied_revision }: Factory): string {
  return applied_revision === null ? 'Nothing is live yet' : 'What was live before goes on';
}

function WaitsForCommit({ factory }: { factory: Factory }) {
  const { source } = factory;
  const where =
    source?.type === 'repository' ? `Correct it in the repository and push to ${source.branch}.` : 'Correct it.';
  return (
    <Alert color="orange" variant="light" icon={<Wrench />} title={sayWhatServes(factory)}>
      {where} Nothing of this commit was applied.
    </Alert>
  );
}

function WaitsForOutside({ factory }: { factory: Factory }) {
  return (
    <Alert color="orange" variant="light" icon={<Hourglass />} title={sayWhatServes(factory)}>
      Something outside of the definition is in the way. The daemon tries again by itself.
    </Alert>
  );
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
  // The dialog may show a value that is shown nowhere else, so the pass that it brought about does not end it.
  if (later !== null && created === null) return <LaterPass later={later} />;
  return (
    <Alert color="orange" variant="light" icon={<Hourglass />} title="It waits for secrets">
      <Stack gap="sm">
        <Text size="sm">
          {sayWhatServes(factory)}. Once there is a secret of each of these names, the apply is tried again by itself.
        </Text>
        {names.map((name) => (
          <Group key={name} gap="sm">
            <Code>{name}</Code>
            {mayCreate ? (
              <Button size="xs" onClick={() => setCreated(name)}>
                Create {name}
              </Button>
            ) : (
              <Text size="sm">Ask an owner to create it.</Text>
            )}
          </Group>
        ))}
      </Stack>
      <StoreSecret
        opened={created !== null}
        onClose={() => setCreated(null)}
        mode="create"
        name={created ?? ''}
        effects={['The apply that waits for it is tried again at once.']}
      />
    </Alert>
  );
}

import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { Hourglass, Wrench } from 'lucide-react';
import { useState } from 'react';
import type { Factory, Reconciliation } from '../../api/types.ts';
import { StoreSecret } from '../../parts/store-secret.tsx';
import { useMay, useSessionUser } from '../../shell/session-user.ts';
import { listMissingSecrets } from './list-missing-secrets.ts';

interface WhatNextProps {
  pass: Reconciliation;
  source: Factory['source'];
}

/** What a pass that changed nothing waits for, and what the reader can do about it. */
export function WhatNext({ pass, source }: WhatNextProps) {
  if (pass.result === 'invalid') return <WaitsForCommit source={source} />;
  if (pass.result !== 'failed') return null;
  const names = listMissingSecrets(pass.diagnostics);
  return names.length === 0 ? <WaitsForOutside /> : <WaitsForSecrets names={names} />;
}

function WaitsForCommit({ source }: { source: Factory['source'] }) {
  const where =
    source?.type === 'repository' ? `Correct it in the repository and push to ${source.branch}.` : 'Correct it.';
  return (
    <Alert color="orange" variant="light" icon={<Wrench />} title="What was live before goes on">
      {where} Nothing of this commit was applied.
    </Alert>
  );
}

function WaitsForOutside() {
  return (
    <Alert color="orange" variant="light" icon={<Hourglass />} title="What was live before goes on">
      Something outside of the definition is in the way. The daemon tries again by itself.
    </Alert>
  );
}

function WaitsForSecrets({ names }: { names: string[] }) {
  const isOwner = useMay('owner');
  const { factories } = useSessionUser();
  const [created, setCreated] = useState<string | null>(null);
  const mayCreate = isOwner && factories === null;
  return (
    <Alert color="orange" variant="light" icon={<Hourglass />} title="It waits for secrets">
      <Stack gap="sm">
        <Text size="sm">
          What was live before goes on. Once there is a secret of each of these names, the apply is tried again by
          itself.
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

import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { GitCompareArrows } from 'lucide-react';
import type { Automation } from '../../../../client/api-types.ts';
import { automationQuery, type TaggedAutomation } from '../../../api/automations.ts';
import { CodeBlock } from '../../../parts/copy/code-block.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { formatJson, writtenKeys } from './automation-draft.ts';

interface EditConflictProps {
  /** The version that was edited. */
  base: TaggedAutomation;
  onTakeTheirs: (theirs: TaggedAutomation) => void;
  /** Saving then overwrites the other version. */
  onKeepMine: (theirs: TaggedAutomation) => void;
}

/** Shows the changes of another user who saved first, and lets this user decide. Their input is kept. */
export function EditConflict({ base, onTakeTheirs, onKeepMine }: EditConflictProps) {
  const { factory, name } = base.automation;
  const { data: theirs, error } = useQuery({
    ...automationQuery(factory, name),
    queryKey: ['factory', factory, 'automations', name, 'theirs', base.etag],
  });
  return (
    <Alert
      role="alert"
      color="orange"
      variant="light"
      radius="md"
      icon={<GitCompareArrows />}
      title="Another user changed this automation while you were editing"
    >
      <Stack gap="sm">
        <Text size="sm">Your changes are not saved yet, but they are kept on this page.</Text>
        {error !== null && <ErrorPanel error={error} />}
        {theirs === undefined && error === null && <Skeleton height={60} />}
        {theirs !== undefined && (
          <>
            <TheirChanges before={base.automation} after={theirs.automation} />
            <Group gap="xs">
              <Button size="xs" onClick={() => onKeepMine(theirs)}>
                Keep my version
              </Button>
              <Button size="xs" variant="default" onClick={() => onTakeTheirs(theirs)}>
                Use their version
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Alert>
  );
}

function TheirChanges({ before, after }: { before: Automation; after: Automation }) {
  const [old, now] = [writtenKeys(before), writtenKeys(after)];
  const changed = Object.keys(now).filter((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]));
  if (changed.length === 0) return <Text size="sm">The content is the same, but it was applied again.</Text>;
  return changed.map((key) => (
    <div key={key}>
      <Text size="sm" fw={600} mb={4}>
        Their {key}
      </Text>
      <CodeBlock code={typeof now[key] === 'string' ? now[key] : formatJson(now[key])} what={`their ${key}`} />
    </div>
  ));
}

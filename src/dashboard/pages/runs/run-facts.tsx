import { Anchor, Progress, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Run } from '../../../client/api-types.ts';
import { type ContextName, describeProgress, listContext } from '../../../domain/words/runs.ts';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';

/** What a run is about, what it has in common with other runs, and how far its last attempt is. */
export function RunFacts({ run }: { run: Run }) {
  const { factory, concurrency_key: key, superseded_by: newer, attempts, state } = run;
  const last = attempts.at(-1);
  const deadline = state === 'running' ? (last?.held_until ?? null) : null;
  const progress = last?.progress ?? null;
  const context = listContext(run.context ?? {}).filter(({ name }) => name !== 'provider');
  const isEmpty = key === null && newer === null && deadline === null && describeProgress(progress) === null;
  if (isEmpty && context.length === 0) return null;
  return (
    <FactList
      facts={[
        ...context.map(({ name, label, text }): [string, ReactNode] => [
          label,
          <ContextValue key={name} name={name} text={text} />,
        ]),
        [
          'Concurrency key',
          key === null ? null : (
            <code key="key">
              <UntrustedText text={key} />
            </code>
          ),
        ],
        ['Superseded by', newer === null ? null : <ObjectLink key="newer" factory={factory} kind="runs" id={newer} />],
        ['Progress', progress === null ? null : <ReportedProgress key="progress" progress={progress} />],
        ['Deadline', deadline === null ? null : <TimeText key="deadline" at={deadline} />],
      ]}
    />
  );
}

/** URLs are https only, as the management API answers them. */
function ContextValue({ name, text }: { name: ContextName; text: string }) {
  if (name !== 'url') return <UntrustedText text={text} />;
  return (
    <Anchor href={text} target="_blank" rel="noopener noreferrer" inherit>
      <UntrustedText text={text} />
    </Anchor>
  );
}

function ReportedProgress({ progress }: { progress: NonNullable<Run['attempts'][number]['progress']> }) {
  const { percent } = progress;
  return (
    <Stack gap={4}>
      <UntrustedText text={describeProgress(progress) ?? '–'} />
      {percent !== null && <Progress value={percent} aria-label="Progress" maw={320} />}
    </Stack>
  );
}

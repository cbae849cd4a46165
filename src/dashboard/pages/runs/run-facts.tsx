import { Progress, Stack } from '@mantine/core';
import type { Run } from '../../../client/api-types.ts';
import { describeProgress } from '../../../words/describe-progress.ts';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';

/** What a run has in common with other runs, and how far its last attempt is. Empty for most runs. */
export function RunFacts({ run }: { run: Run }) {
  const { factory, concurrency_key: key, superseded_by: newer, attempts, state } = run;
  const last = attempts.at(-1);
  const deadline = state === 'running' ? (last?.held_until ?? null) : null;
  const progress = last?.progress ?? null;
  if (key === null && newer === null && deadline === null && describeProgress(progress) === null) return null;
  return (
    <FactList
      facts={[
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

function ReportedProgress({ progress }: { progress: NonNullable<Run['attempts'][number]['progress']> }) {
  const { percent } = progress;
  return (
    <Stack gap={4}>
      <UntrustedText text={describeProgress(progress) ?? '–'} />
      {percent !== null && <Progress value={percent} aria-label="Progress" maw={320} />}
    </Stack>
  );
}

import { Button, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { ArrowDown } from 'lucide-react';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import type { Run } from '../../../client/api-types.ts';
import { isEnded } from '../../api/runs.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import classes from './run-log.module.css';
import { useRunLog } from './use-run-log.ts';

/** The output of a run, or of one attempt, updated while it runs. */
export function RunLog({ run }: { run: Run }) {
  const [attempt, setAttempt] = useState<number | null>(null);
  const known = run.attempts.filter(({ log_offset }) => log_offset !== null);
  return (
    <Stack gap="sm">
      {known.length > 1 && (
        <SegmentedControl
          aria-label="Output of"
          style={{ alignSelf: 'start' }}
          value={attempt === null ? 'all' : String(attempt)}
          onChange={(value) => setAttempt(value === 'all' ? null : Number(value))}
          data={[
            { value: 'all', label: 'All attempts' },
            ...known.map(({ number }) => ({ value: String(number), label: `Attempt ${number}` })),
          ]}
        />
      )}
      <AttemptLog key={attempt} run={run} attempt={attempt} />
    </Stack>
  );
}

function AttemptLog({ run, attempt }: { run: Run; attempt: number | null }) {
  const hasEnded = isEnded(run);
  const { blocks, isRead, error, retry } = useRunLog({ id: run.id, attempt }, hasEnded);
  if (!isRead) return <Skeleton height={200} />;
  const isEmpty = blocks.every((block) => block === '');
  return (
    <Stack gap="sm">
      {error !== null && <ErrorPanel error={error} onRetry={retry} />}
      {isEmpty ? (
        <Text c="dimmed" size="sm">
          {hasEnded ? 'No output.' : 'No output yet. It appears here while the run executes.'}
        </Text>
      ) : (
        <LogView blocks={blocks} />
      )}
    </Stack>
  );
}

/** Tolerance for the end of the log, because zoomed pages scroll by fractions of a pixel. */
const END_PX = 4;

/** Follows the end of the log until the user scrolls up. */
function LogView({ blocks }: { blocks: readonly string[] }) {
  const view = useRef<HTMLElement>(null);
  const [isFollowing, setIsFollowing] = useState(true);
  const scrollToEnd = () => view.current?.scrollTo({ top: view.current.scrollHeight });
  // biome-ignore lint/correctness/useExhaustiveDependencies: every addition moves the end
  useLayoutEffect(() => {
    if (isFollowing) scrollToEnd();
  }, [blocks, isFollowing]);
  const updateFollowing = () => {
    const { scrollTop, scrollHeight, clientHeight } = view.current!;
    setIsFollowing(scrollHeight - scrollTop - clientHeight <= END_PX);
  };
  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section ref={view} className={classes.log} aria-label="Log" tabIndex={0} onScroll={updateFollowing}>
        <pre>
          {blocks.map((block, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other identity and never move
            <LogBlock key={i} text={block} />
          ))}
        </pre>
      </section>
      {!isFollowing && (
        <Button
          className={classes.follow}
          size="compact-sm"
          radius="xl"
          leftSection={<ArrowDown size={14} aria-hidden />}
          onClick={() => setIsFollowing(true)}
        >
          Jump to end
        </Button>
      )}
    </div>
  );
}

const LogBlock = memo(function LogBlock({ text }: { text: string }) {
  return (
    <span className={classes.block}>
      <UntrustedText text={text} keepLayout />
    </span>
  );
});

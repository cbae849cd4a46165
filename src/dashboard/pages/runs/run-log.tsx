import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { ArrowDown } from 'lucide-react';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import { isEnded } from '../../api/runs.ts';
import type { Run } from '../../api/types.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { ForeignText } from '../../parts/text/foreign-text.tsx';
import classes from './run-log.module.css';
import { useRunLog } from './use-run-log.ts';

/** What a run prints, as it prints it. */
export function RunLog({ run }: { run: Run }) {
  const hasEnded = isEnded(run);
  const { blocks, isRead, error, retry } = useRunLog(run.id, hasEnded);
  if (!isRead) return <Skeleton height={200} />;
  const isEmpty = blocks.every((block) => block === '');
  return (
    <Stack gap="sm">
      {error !== null && <ErrorPanel error={error} onRetry={retry} />}
      {isEmpty ? (
        <Text c="dimmed" size="sm">
          {hasEnded ? 'It printed nothing.' : 'It has printed nothing yet; what it prints appears here.'}
        </Text>
      ) : (
        <LogView blocks={blocks} />
      )}
    </Stack>
  );
}

/** So near to the end counts as the end: zoomed pages end at fractions of a pixel. */
const END_PX = 4;

/** Stays at the end while text is added, until the reader scrolls up. */
function LogView({ blocks }: { blocks: readonly string[] }) {
  const view = useRef<HTMLElement>(null);
  const [isFollowing, setIsFollowing] = useState(true);
  const scrollToEnd = () => view.current?.scrollTo({ top: view.current.scrollHeight });
  // biome-ignore lint/correctness/useExhaustiveDependencies: every addition moves the end
  useLayoutEffect(() => {
    if (isFollowing) scrollToEnd();
  }, [blocks, isFollowing]);
  const noticeScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = view.current!;
    setIsFollowing(scrollHeight - scrollTop - clientHeight <= END_PX);
  };
  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section ref={view} className={classes.log} aria-label="Log" tabIndex={0} onScroll={noticeScroll}>
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
          To the end
        </Button>
      )}
    </div>
  );
}

const LogBlock = memo(function LogBlock({ text }: { text: string }) {
  return (
    <span className={classes.block}>
      <ForeignText text={text} keepLayout />
    </span>
  );
});

import { Button, Stack, Text } from '@mantine/core';
import { ArrowDown } from 'lucide-react';
import { useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { LogTime } from '../../../../domain/words/log-times.ts';
import { type LogMatch, LogSearch } from './find-matches.ts';
import { LogBlockView } from './log-block.tsx';
import type { LogBlock } from './log-lines.ts';
import { LogToolbar } from './log-toolbar.tsx';
import classes from './log-view.module.css';

/** Tolerance for the end of the log, because zoomed pages scroll by fractions of a pixel. */
const END_PX = 4;

interface LogViewProps {
  blocks: readonly LogBlock[];
  /** When parts of the log were written. */
  times: readonly LogTime[];
  /** URL of the log as a file. */
  href: string;
}

/** On a phone, the times would take a third of each line. */
const isWide = () => matchMedia('(min-width: 48em)').matches;

const NO_TIMES: readonly LogTime[] = [];

/** Follows the end of the log until the user scrolls up or goes to a match. */
export function LogView({ blocks, times, href }: LogViewProps) {
  const [showsTimes, setShowsTimes] = useState(isWide);
  const follow = useFollow(blocks);
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const search = useLogSearch(text);
  const matches = useMemo(() => search.find(blocks), [search, blocks]);
  const shown = Math.min(index, matches.all.length - 1);
  const current = matches.all[shown] ?? null;
  const goTo = (next: number) => {
    follow.stop();
    setIndex((next + matches.all.length) % matches.all.length);
  };
  const find = (wanted: string) => {
    if (wanted !== '') follow.stop();
    setText(wanted);
    setIndex(0);
  };
  const first = blocks[0]?.first ?? 1;
  return (
    <Stack gap="xs">
      <LogToolbar
        text={text}
        onFind={find}
        matches={matches}
        shown={shown}
        onGoTo={goTo}
        showsTimes={showsTimes}
        onShowTimes={times.length === 0 ? null : setShowsTimes}
        href={href}
      />
      {first > 1 && (
        <Text size="sm" c="dimmed">
          The first {(first - 1).toLocaleString()} lines are not shown. Download the log to read them.
        </Text>
      )}
      <div className={classes.frame}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
        <section ref={follow.view} className={classes.log} aria-label="Log" tabIndex={0} onScroll={follow.update}>
          <div ref={follow.content}>
            {blocks.map((block, i) => (
              <LogBlockView
                key={block.first}
                block={block}
                times={showsTimes ? times : NO_TIMES}
                matches={matches.ofBlock(block)}
                current={isIn(block, current) ? current : null}
                isLast={i === blocks.length - 1}
              />
            ))}
          </div>
        </section>
        {!follow.isFollowing && (
          <Button
            className={classes.follow}
            size="compact-sm"
            radius="xl"
            leftSection={<ArrowDown size={14} aria-hidden />}
            onClick={follow.start}
          >
            Jump to end
          </Button>
        )}
      </div>
    </Stack>
  );
}

function isIn({ first, lines }: LogBlock, match: LogMatch | null): boolean {
  return match !== null && match.line >= first && match.line < first + lines.length;
}

/** Typing stays fast while a long log is searched. */
function useLogSearch(text: string): LogSearch {
  const searched = useDeferredValue(text);
  return useMemo(() => new LogSearch(searched), [searched]);
}

/** Keeps the end of the log visible, also when its height changes because blocks are rendered. */
function useFollow(blocks: readonly LogBlock[]) {
  const view = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isFollowing, setIsFollowing] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every addition moves the end
  useLayoutEffect(() => {
    if (isFollowing) scrollToEnd(view.current);
  }, [blocks, isFollowing]);
  useEffect(() => {
    if (!isFollowing || content.current === null) return;
    const observer = new ResizeObserver(() => scrollToEnd(view.current));
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [isFollowing]);
  const update = () => {
    const { scrollTop, scrollHeight, clientHeight } = view.current!;
    setIsFollowing(scrollHeight - scrollTop - clientHeight <= END_PX);
  };
  return { view, content, isFollowing, update, start: () => setIsFollowing(true), stop: () => setIsFollowing(false) };
}

function scrollToEnd(view: HTMLElement | null): void {
  view?.scrollTo({ top: view.scrollHeight });
}

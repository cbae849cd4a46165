import { memo, useEffect, useRef, useState } from 'react';
import { findLogTime, type LogTime } from '../../../../domain/words/log-times.ts';
import type { LogMatch } from './find-matches.ts';
import classes from './log-block.module.css';
import { LogLine } from './log-line.tsx';
import type { LogBlock } from './log-lines.ts';

interface LogBlockViewProps {
  block: LogBlock;
  /** When parts of the log were written. Empty if times are not shown. */
  times: readonly LogTime[];
  matches: readonly LogMatch[];
  /** The selected match, if it is in this block. */
  current: LogMatch | null;
  /** The last block is rendered immediately. */
  isLast: boolean;
}

/** Height of a line that is not wrapped, in `em`. */
const LINE_EM = 1.6;
/** Blocks are rendered before they become visible. */
const MARGIN = '1000px 0px';

/** Some lines of a log. They are rendered while the block is near the visible part. */
export const LogBlockView = memo(function LogBlockView(props: LogBlockViewProps) {
  const { block, times, matches, current, isLast } = props;
  const { first, lines, offsets } = block;
  const { ref, isNear, height } = useNear(`${lines.length * LINE_EM}em`);
  useEffect(() => {
    if (current !== null) ref.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
  }, [current, ref]);
  if (!isNear && !isLast && current === null) return <div ref={ref} style={{ height }} />;
  return (
    <div ref={ref} className={classes.block}>
      {lines.map((line, i) => {
        const number = first + i;
        const ofLine = matches.length === 0 ? matches : matches.filter((match) => match.line === number);
        const at = times.length === 0 ? undefined : findLogTime(times, offsets[i]!);
        return <LogLine key={number} number={number} at={at} line={line} matches={ofLine} current={current} />;
      })}
    </div>
  );
});

interface Nearness {
  isNear: boolean;
  /** CSS height of the block while it is not rendered. */
  height: string;
}

/** Whether the element is near the visible part of the page, and its height when it was. */
function useNear(estimatedHeight: string) {
  const ref = useRef<HTMLDivElement>(null);
  const [nearness, setNearness] = useState<Nearness>({ isNear: false, height: estimatedHeight });
  useEffect(() => {
    const element = ref.current!;
    const observer = new IntersectionObserver(
      (entries) => {
        const { isIntersecting, boundingClientRect } = entries.at(-1)!;
        setNearness({ isNear: isIntersecting, height: `${boundingClientRect.height}px` });
      },
      { root: element.closest('section'), rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, ...nearness };
}

import type { CSSProperties } from 'react';
import type { StyledLine, TextColor, TextStyle } from '../../../../domain/words/terminal-text.ts';
import { PLAIN } from '../../../../domain/words/terminal-text.ts';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { formatExactTime, formatTimeOfDay } from '../../../parts/time/format-time.ts';
import { cutLine, type LinePiece } from './cut-line.ts';
import type { LogMatch } from './find-matches.ts';
import classes from './log-block.module.css';

interface LogLineProps {
  number: number;
  /** When the line was written. `null` if that is not known, `undefined` if times are not shown. */
  at: string | null | undefined;
  line: StyledLine;
  matches: readonly LogMatch[];
  /** The selected match. */
  current: LogMatch | null;
}

/** One line of a log with its colors and matches. */
export function LogLine({ number, at, line, matches, current }: LogLineProps) {
  return (
    <div className={classes.line} data-line={number}>
      {at !== undefined && <LineTime at={at} />}
      <span className={classes.text}>
        {cutLine(line, matches).map((piece, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity and never move
          <Piece key={i} piece={piece} current={current} />
        ))}
        {'\n'}
      </span>
    </div>
  );
}

/** The time of day. Like the number, it is not part of the text, so that it is not copied. */
function LineTime({ at }: { at: string | null }) {
  if (at === null) return <span className={classes.time} />;
  return <time className={classes.time} dateTime={at} title={formatExactTime(at)} data-time={formatTimeOfDay(at)} />;
}

function Piece({ piece: { text, style, match }, current }: { piece: LinePiece; current: LogMatch | null }) {
  const content = <UntrustedText text={text} keepLayout />;
  if (match !== null) return <mark aria-current={match === current ? 'true' : undefined}>{content}</mark>;
  return style === PLAIN ? content : <span {...describeStyle(style)}>{content}</span>;
}

/** Class names and attributes of a fixed set, and custom properties with checked colors. */
function describeStyle({ foreground, background, isInverse, ...style }: TextStyle) {
  const names = [
    style.isBold && classes.bold,
    style.isDim && classes.dim,
    style.isItalic && classes.italic,
    style.isUnderlined && classes.underlined,
    style.isStruck && classes.struck,
  ];
  return {
    className: names.filter(Boolean).join(' ') || undefined,
    'data-color': foreground === null ? undefined : typeof foreground === 'number' ? foreground : 'exact',
    'data-background': background === null ? undefined : true,
    'data-inverse': isInverse ? true : undefined,
    style: { ...nameForeground(foreground), ...nameBackground(background) } as CSSProperties,
  };
}

function nameForeground(color: TextColor | null): Record<string, string> {
  if (color === null) return {};
  return typeof color === 'number' ? { '--color': `var(--color-${color})` } : { '--exact-color': color };
}

function nameBackground(color: TextColor | null): Record<string, string> {
  if (color === null) return {};
  return { '--background': typeof color === 'number' ? `var(--color-${color})` : color };
}

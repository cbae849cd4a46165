import { Text, Tooltip } from '@mantine/core';
import { type ComponentPropsWithRef, useRef, useState, useSyncExternalStore } from 'react';
import { formatExactTime, formatLocalTime, formatTimeAgo, formatTimeUntil } from './format-time.ts';

interface TimeTextProps {
  at: string;
  inherit?: boolean;
  /** Set to false in links and table rows, to avoid an extra tab stop. */
  isFocusable?: boolean;
}

/** A past time in relative words. The exact time is shown on hover and focus. */
export function TimeText(props: TimeTextProps) {
  return <RelativeTime {...props} words={formatTimeAgo(props.at, useNow())} />;
}

/** A future time in relative words, for example the end of a capture window. */
export function TimeUntil(props: TimeTextProps) {
  return <RelativeTime {...props} words={formatTimeUntil(props.at, useNow())} />;
}

interface RelativeTimeProps extends Omit<TimeTextProps, 'isFocusable'> {
  words: string;
}

const TOOLTIP = { multiline: true, events: { hover: true, focus: true, touch: true } };

function RelativeTime({ isFocusable = true, ...props }: TimeTextProps & { words: string }) {
  if (!isFocusable) return <TimeInRow {...props} />;
  return (
    <Tooltip {...TOOLTIP} label={formatExactTime(props.at)}>
      <TimeWords {...props} tabIndex={0} />
    </Tooltip>
  );
}

/** Its tooltip is created when the pointer enters: for a list of 50 times, tooltips take more time than everything else. */
function TimeInRow(props: RelativeTimeProps) {
  const ref = useRef<HTMLTimeElement>(null);
  const [wasEntered, setWasEntered] = useState(false);
  return (
    <>
      <TimeWords {...props} ref={ref} onPointerEnter={() => setWasEntered(true)} />
      {wasEntered && <Tooltip {...TOOLTIP} label={formatExactTime(props.at)} target={ref} defaultOpened />}
    </>
  );
}

interface TimeWordsProps extends RelativeTimeProps, Omit<ComponentPropsWithRef<'time'>, 'color' | 'style'> {}

function TimeWords({ at, words, inherit = true, ...rest }: TimeWordsProps) {
  return (
    <Text component="time" inherit={inherit} dateTime={at} style={{ whiteSpace: 'nowrap' }} {...rest}>
      {words}
    </Text>
  );
}

/** The exact time in the local time zone and in UTC. */
export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at}>
      {formatLocalTime(at)} · <span style={{ whiteSpace: 'nowrap' }}>{new Date(at).toISOString()}</span>
    </time>
  );
}

// One clock for all times on a page, so that they update together.
const TICK_MS = 10_000;
let tick = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  // The clock was stopped while nothing used it.
  if (listeners.size === 0) tick = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    tick = Date.now();
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

function useNow(): number {
  return useSyncExternalStore(subscribe, () => tick);
}

import { Text, Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { formatExactTime, formatLocalTime, formatTimeAgo, formatTimeUntil } from './format-time.ts';

interface TimeTextProps {
  at: string;
  inherit?: boolean;
  /** In a link, and in rows that lead to a page or to details with the time, it is no stop of its own for the keyboard. */
  isFocusable?: boolean;
}

/** An instant: how long ago, in words, with the exact time of the reader's zone and of UTC on hover and on focus. */
export function TimeText(props: TimeTextProps) {
  return <RelativeTime {...props} words={formatTimeAgo(props.at, useNow())} />;
}

/** An instant that is to come, for example the end of a window: in how long. */
export function TimeUntil(props: TimeTextProps) {
  return <RelativeTime {...props} words={formatTimeUntil(props.at, useNow())} />;
}

function RelativeTime({ at, words, inherit = true, isFocusable = true }: TimeTextProps & { words: string }) {
  return (
    <Tooltip label={formatExactTime(at)} multiline events={{ hover: true, focus: true, touch: true }}>
      <Text
        component="time"
        inherit={inherit}
        dateTime={at}
        tabIndex={isFocusable ? 0 : undefined}
        style={{ whiteSpace: 'nowrap' }}
      >
        {words}
      </Text>
    </Tooltip>
  );
}

/** The instant written out: in the reader's zone and in UTC, neither of them torn apart. */
export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at}>
      {formatLocalTime(at)} · <span style={{ whiteSpace: 'nowrap' }}>{new Date(at).toISOString()}</span>
    </time>
  );
}

// One clock for all instants on a page, so that they change together and seldom.
const TICK_MS = 10_000;
let tick = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  // Nobody kept the clock going before.
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

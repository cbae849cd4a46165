import type { AlertEvent, AlertItem } from '../../core/alerts/alert.ts';
import { ALERT_RULES } from '../../core/alerts/alert-rules.ts';
import { formatInstant } from '../../core/time/clock.ts';
import { countOf } from '../../words/count-of.ts';

/** A message to compose. */
export interface MessageContent {
  /** The same in each retry. */
  id: string;
  /** When it was composed, as wall time in milliseconds. */
  createdAt: number;
  /** Empty for a test message. */
  items: readonly AlertItem[];
  /** Page of the alerts on the dashboard; `null` if its URL is not configured. */
  url: string | null;
}

/** One alert in words. All texts are one line without control characters. */
export interface ItemText {
  title: string;
  summary: string;
  /** Further facts, and what to do. */
  details: string[];
}

const EVENT_WORDS: Readonly<Record<AlertEvent, string>> = {
  opened: 'Open',
  repeated: 'Still open',
  resolved: 'Resolved',
};

const TEST_HEADLINE = 'Test message: Dockbell can send alerts to this target.';

/** The first line of a message. */
export function describeMessage({ items }: Pick<MessageContent, 'items'>): string {
  const [only] = items;
  if (only === undefined) return TEST_HEADLINE;
  if (items.length === 1) return describeItem(only).title;
  const counts = (Object.keys(EVENT_WORDS) as AlertEvent[]).flatMap((event) => {
    const count = items.filter((item) => item.event === event).length;
    return count === 0 ? [] : [`${count} ${EVENT_WORDS[event].toLowerCase()}`];
  });
  return `${items.length} alerts: ${counts.join(', ')}`;
}

export function describeItem({ id, rule, event, summary, openedAt, resolvedAt, count, ...about }: AlertItem): ItemText {
  const { title, advice } = ALERT_RULES[rule];
  const place = [about.factory, about.object].filter((name) => name !== null).join('/');
  const ended = resolvedAt === null ? [] : [`Resolved at ${formatInstant(resolvedAt)}.`];
  const returned = count === 1 ? [] : [`Its cause ended and returned ${countOf(count - 1, 'time')}.`];
  return {
    title: `${EVENT_WORDS[event]}: ${title}${place === '' ? '' : ` (${place})`}`,
    summary,
    details: [
      `Open since ${formatInstant(openedAt)}.`,
      ...ended,
      ...returned,
      ...(event === 'resolved' ? [] : [advice, `Acknowledge it with 'dockbell alert acknowledge ${id}'.`]),
    ],
  };
}

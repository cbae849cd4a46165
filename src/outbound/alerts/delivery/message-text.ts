import type { AlertEvent, AlertItem } from '../../../domain/messages/alert.ts';
import { ALERT_RULES, type AlertSubject } from '../../../domain/messages/alert-rules.ts';
import { formatInstant } from '../../../domain/time/clock.ts';
import { quoteForShell } from '../../../domain/words/escape-text.ts';
import { countOf } from '../../../domain/words/quantities.ts';

/** A message to compose. */
export interface MessageContent {
  /** The same in each retry. */
  id: string;
  /** When it was composed, as wall time in milliseconds. */
  createdAt: number;
  /** Empty for a test message. */
  items: readonly AlertItem[];
  /** URL of the dashboard; `null` if it is not configured. */
  dashboardUrl: string | null;
}

/** The page of the alerts; `null` if the URL of the dashboard is not configured. */
export function findAlertsUrl({ dashboardUrl }: Pick<MessageContent, 'dashboardUrl'>): string | null {
  return dashboardUrl === null ? null : `${dashboardUrl}/alerts`;
}

/** The page of what an alert is about; `null` if the URL of the dashboard is not configured. */
export function findPageUrl(
  { rule, factory, object, objectId }: AlertItem,
  { dashboardUrl }: Pick<MessageContent, 'dashboardUrl'>,
): string | null {
  if (dashboardUrl === null) return null;
  const page = PAGES[ALERT_RULES[rule].about];
  if (factory === null || page === null) return `${dashboardUrl}/alerts`;
  const place = `${dashboardUrl}/factories/${encodeURIComponent(factory)}`;
  return object === null || page === '' ? place : `${place}/${page}/${encodeURIComponent(objectId ?? object)}`;
}

const PAGES: Readonly<Record<AlertSubject, string | null>> = {
  daemon: null,
  token: null,
  factory: '',
  webhook: 'webhooks',
  automation: 'automations',
};

/** The command that explains what an alert is about. */
function findCommand({ rule, factory, object }: AlertItem): string {
  const { about } = ALERT_RULES[rule];
  const option = factory === null ? '' : ` --factory ${quoteForShell(factory)}`;
  if (object === null || about === 'token') return factory === null ? 'dockbell doctor' : `dockbell status${option}`;
  return `dockbell why ${about}:${quoteForShell(object)}${option}`;
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
export function describeMessage(content: Pick<MessageContent, 'items' | 'dashboardUrl'>): string {
  const { items } = content;
  const [only] = items;
  if (only === undefined) return TEST_HEADLINE;
  if (items.length === 1) return describeItem(only, content).title;
  const counts = (Object.keys(EVENT_WORDS) as AlertEvent[]).flatMap((event) => {
    const count = items.filter((item) => item.event === event).length;
    return count === 0 ? [] : [`${count} ${EVENT_WORDS[event].toLowerCase()}`];
  });
  return `${items.length} alerts: ${counts.join(', ')}`;
}

export function describeItem(item: AlertItem, content: Pick<MessageContent, 'dashboardUrl'>): ItemText {
  const { id, rule, event, summary, openedAt, resolvedAt, count, ...about } = item;
  const page = findPageUrl(item, content);
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
      page === null ? `Explain it with '${findCommand(item)}'.` : `Page: ${page}`,
      ...(event === 'resolved' ? [] : [advice, `Acknowledge it with 'dockbell alert acknowledge ${id}'.`]),
    ],
  };
}

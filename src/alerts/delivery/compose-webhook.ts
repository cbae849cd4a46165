import { ALERT_RULES } from '../../core/alerts/alert-rules.ts';
import type { Json } from '../../core/json.ts';
import { formatInstant } from '../../core/time/clock.ts';
import { describeMessage, type MessageContent } from './message-text.ts';

/** The JSON body of the target `webhook`: type, timestamp and data, as Standard Webhooks recommends. */
export function composeWebhook(content: MessageContent): string {
  const body: Json = {
    type: content.items.length === 0 ? 'alerts.test' : 'alerts',
    timestamp: formatInstant(content.createdAt),
    data: { title: describeMessage(content), url: content.url, alerts: content.items.map(presentItem) },
  };
  return JSON.stringify(body);
}

function presentItem({ rule, object, objectId, openedAt, resolvedAt, ...item }: MessageContent['items'][number]): Json {
  const { title, severity, about, advice } = ALERT_RULES[rule];
  return {
    id: item.id,
    event: item.event,
    rule,
    title,
    severity,
    factory: item.factory,
    object: object === null ? null : { kind: about, name: object, id: objectId ?? object },
    summary: item.summary,
    advice,
    opened_at: formatInstant(openedAt),
    resolved_at: resolvedAt === null ? null : formatInstant(resolvedAt),
    count: item.count,
  };
}

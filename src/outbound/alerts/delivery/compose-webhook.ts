import type { Json } from '../../../domain/json.ts';
import { ALERT_RULES } from '../../../domain/messages/alert-rules.ts';
import { formatInstant } from '../../../domain/time/clock.ts';
import { describeMessage, findAlertsUrl, findPageUrl, type MessageContent } from './message-text.ts';

/** The JSON body of the target `webhook`: type, timestamp and data, as Standard Webhooks recommends. */
export function composeWebhook(content: MessageContent): string {
  const body: Json = {
    type: content.items.length === 0 ? 'alerts.test' : 'alerts',
    timestamp: formatInstant(content.createdAt),
    data: {
      title: describeMessage(content),
      url: findAlertsUrl(content),
      alerts: content.items.map((item) => presentItem(item, content)),
    },
  };
  return JSON.stringify(body);
}

function presentItem(alert: MessageContent['items'][number], content: MessageContent): Json {
  const { rule, object, objectId, openedAt, resolvedAt, ...item } = alert;
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
    url: findPageUrl(alert, content),
    advice,
    opened_at: formatInstant(openedAt),
    resolved_at: resolvedAt === null ? null : formatInstant(resolvedAt),
    count: item.count,
  };
}

import { describeItem, describeMessage, findAlertsUrl, type MessageContent } from './message-text.ts';

const MAX_SUBJECT = 150;

/** Subject and plain text of a mail. */
export function composeEmail(content: MessageContent): { subject: string; text: string } {
  const headline = describeMessage(content);
  const subject = `[Dockbell] ${headline}`.slice(0, MAX_SUBJECT);
  const items = content.items
    .map((item) => describeItem(item, content))
    .map(({ title, summary, details }) => [title, summary, ...details, '']);
  const url = findAlertsUrl(content);
  const link = url === null ? [] : [`Dashboard: ${url}`];
  return { subject, text: `${[headline, '', ...items.flat(), ...link].join('\n')}\n` };
}

import { describeItem, describeMessage, type MessageContent } from './message-text.ts';

const MAX_SUBJECT = 150;

/** Subject and plain text of a mail. */
export function composeEmail(content: MessageContent): { subject: string; text: string } {
  const headline = describeMessage(content);
  const subject = `[Dockbell] ${headline}`.slice(0, MAX_SUBJECT);
  const items = content.items.map(describeItem).map(({ title, summary, details }) => [title, summary, ...details, '']);
  const link = content.url === null ? [] : [`Dashboard: ${content.url}`];
  return { subject, text: `${[headline, '', ...items.flat(), ...link].join('\n')}\n` };
}

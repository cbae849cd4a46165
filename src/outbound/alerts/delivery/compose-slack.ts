import type { Json } from '../../../domain/json.ts';
import { describeItem, describeMessage, findAlertsUrl, type ItemText, type MessageContent } from './message-text.ts';

/** Slack takes 50 blocks; each alert is one. */
const MAX_ITEMS = 40;
const MAX_HEADER = 150;
const MAX_SECTION = 3000;

/**
 * The JSON body for an incoming webhook of Slack. Names come from outside, so blocks are plain text, in which Slack
 * interprets nothing. In `text`, the three characters that begin mentions and links are escaped
 * (https://docs.slack.dev/messaging/formatting-message-text/#escaping).
 */
export function composeSlack(content: MessageContent): string {
  const { items } = content;
  const url = findAlertsUrl(content);
  const headline = describeMessage(content);
  const texts = items.slice(0, MAX_ITEMS).map((item) => describeItem(item, content));
  const rest = items.length - texts.length;
  const blocks: Json[] = [
    { type: 'header', text: plainText(headline, MAX_HEADER) },
    ...texts.map((text) => ({ type: 'section', text: plainText(layOut(text), MAX_SECTION) })),
    ...(rest === 0 ? [] : [{ type: 'section', text: plainText(`and ${rest} more`, MAX_SECTION) }]),
    ...(url === null ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: `<${url}|Alerts on the dashboard>` } }]),
  ];
  const fallback = [headline, ...texts.map(({ title, summary }) => `${title}: ${summary}`)].join('\n');
  return JSON.stringify({ text: escapeMarkup(fallback), blocks });
}

function layOut({ title, summary, details }: ItemText): string {
  return [title, summary, ...details].join('\n');
}

/** `emoji: false`: `:bell:` in a name stays as it is. */
function plainText(text: string, max: number): Json {
  const cut = text.length <= max ? text : `${text.slice(0, max - 1)}…`;
  return { type: 'plain_text', text: cut, emoji: false };
}

/** Other services interpret Markdown in `text`: a zero-width space ends mentions, such as `@channel`. */
function escapeMarkup(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll('@', '@\u200b').replaceAll('](', ']\u200b(');
}

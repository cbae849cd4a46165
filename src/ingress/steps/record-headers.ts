import type { RequestHeaders } from '../../core/headers.ts';
import type { RecordedHeaders } from '../../core/resources/delivery.ts';
import type { Received } from '../../core/trigger.ts';
import type { LiveWebhook } from '../../registry/live-webhook.ts';
import { decodeHeader } from './decode-header.ts';

/** Longer values are cut. */
const MAX_VALUE_LENGTH = 1000;

const REDACTED = '[redacted]';

/** What filters test of the request headers. */
export function pickHeaders(headers: RequestHeaders, names: Iterable<string>): Received['headers'] {
  const picked = Object.create(null) as { [name: string]: string };
  for (const name of names) {
    const value = headers.get(name);
    if (value !== undefined) picked[name] = decodeHeader(value);
  }
  return picked;
}

/**
 * The request headers that are stored with the delivery: those of the webhook, and those that filters test, because the
 * decisions are explained later. A value that contains the secret of the webhook is replaced, because a sender may put
 * its credential into any header.
 */
export function recordHeaders(
  headers: RequestHeaders,
  webhook: Pick<LiveWebhook, 'recordedHeaders' | 'holdsSecret' | 'listeners'>,
): RecordedHeaders | null {
  const { recordedHeaders, holdsSecret, listeners } = webhook;
  let text = '';
  const record = (name: string) => {
    const value = headers.get(name);
    if (value === undefined) return;
    const shown = holdsSecret(value) ? REDACTED : decodeHeader(value.slice(0, MAX_VALUE_LENGTH));
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${JSON.stringify(shown)}`;
  };
  for (const name of recordedHeaders) record(name);
  for (const name of listeners.wantedHeaders) if (!recordedHeaders.includes(name)) record(name);
  return text === '' ? null : `${text}}`;
}

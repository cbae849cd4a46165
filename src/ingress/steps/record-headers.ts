import type { Received } from '../../domain/definitions/trigger.ts';
import type { RequestHeaders } from '../../domain/deliveries/headers.ts';
import type { RecordedHeaders } from '../../domain/resources/delivery.ts';
import type { LiveWebhook, RecordedHeader } from '../registry/live-webhook.ts';
import { decodeHeader } from './decode-header.ts';

/** Longer values are cut. */
const MAX_VALUE_LENGTH = 1000;

const REDACTED = '[redacted]';

/** What filters test of the request headers. */
export function pickHeaders(
  headers: RequestHeaders,
  { listeners }: Pick<LiveWebhook, 'listeners'>,
): Received['headers'] {
  if (listeners.wantedHeaders.size === 0) return NO_HEADERS;
  const picked = Object.create(null) as { [name: string]: string };
  for (const name of listeners.wantedHeaders.keys()) {
    const value = headers.get(name);
    if (value !== undefined) picked[name] = decodeHeader(value);
  }
  return picked;
}

const NO_HEADERS: Received['headers'] = Object.freeze({});

/**
 * The request headers that are stored with the delivery: those of the webhook, and those that filters test, because the
 * decisions are explained later. A value that contains the secret of the webhook is replaced, because a sender may put
 * its credential into any header.
 */
export function recordHeaders(
  headers: RequestHeaders,
  webhook: Pick<LiveWebhook, 'credentialHeaders' | 'recordedHeaders' | 'holdsSecret' | 'listeners'>,
): RecordedHeaders | null {
  const { credentialHeaders, recordedHeaders, holdsSecret, listeners } = webhook;
  let text = '';
  const record = (name: string, last: RecordedHeader) => {
    const value = headers.get(name);
    if (value === undefined) return;
    if (value !== last.value) {
      const shown = holdsSecret(value) ? REDACTED : decodeHeader(value.slice(0, MAX_VALUE_LENGTH));
      last.text = `${JSON.stringify(name)}:${JSON.stringify(shown)}`;
      last.value = value;
    }
    text += text === '' ? `{${last.text}` : `,${last.text}`;
  };
  for (const [name, last] of recordedHeaders) record(name, last);
  for (const name of listeners.wantedHeaders.keys()) {
    if (!recordedHeaders.has(name) && !credentialHeaders.has(name)) record(name, { value: null, text: '' });
  }
  return text === '' ? null : `${text}}`;
}

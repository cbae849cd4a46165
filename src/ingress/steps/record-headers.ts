import type { RequestHeaders } from '../../core/headers.ts';
import type { RecordedHeaders } from '../../core/resources/delivery.ts';
import type { LiveWebhook } from '../../registry/live-webhook.ts';
import { decodeHeader } from './decode-header.ts';

/** Longer values are cut. */
const MAX_VALUE_LENGTH = 1000;

const REDACTED = '[redacted]';

/**
 * The request headers that are stored with the delivery. A value that contains the secret of the webhook is replaced,
 * because a sender may put its credential into any header.
 */
export function recordHeaders(
  headers: RequestHeaders,
  { recordedHeaders, holdsSecret }: Pick<LiveWebhook, 'recordedHeaders' | 'holdsSecret'>,
): RecordedHeaders | null {
  let text = '';
  for (const name of recordedHeaders) {
    const value = headers.get(name);
    if (value === undefined) continue;
    const shown = holdsSecret(value) ? REDACTED : decodeHeader(value.slice(0, MAX_VALUE_LENGTH));
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${JSON.stringify(shown)}`;
  }
  return text === '' ? null : `${text}}`;
}

import type { Delivery, DeliveryExplanation, Webhook } from '../../client/api-types.ts';
import type { Json } from '../../core/json.ts';
import { MAX_DEFINITION_BYTES } from '../../core/source-tree.ts';
import { isCredentialHeader } from '../../signature/schemes/credential-headers.ts';
import { resolveScheme } from '../../signature/schemes/resolve-scheme.ts';
import { CliError } from '../exit-codes.ts';

/** What a sample is made of. */
export interface RecordedDelivery {
  delivery: Delivery;
  /** The webhook as it is now. */
  webhook: Webhook;
  explanation: DeliveryExplanation;
  body: Json;
}

/** The text of a sample. `isTooLarge`: larger than the limit for files, even without indentation. */
export interface RenderedSample {
  text: string;
  isTooLarge: boolean;
}

/**
 * A stored delivery as the file `webhooks/<name>.samples/<sample>.json`. `starts` lists what the delivery started, even if
 * the definition has changed since.
 */
export function renderSample({ delivery, webhook, explanation, body }: RecordedDelivery): RenderedSample {
  const headers = nameDelivery(delivery, webhook);
  const sample = {
    description: `${delivery.id}, received ${delivery.received_at}`,
    ...(headers === null ? {} : { headers }),
    body,
    starts: explanation.decisions.filter(({ outcome }) => outcome === 'started').map(({ automation }) => automation),
  };
  const readable = stringify(sample, 2);
  if (Buffer.byteLength(readable) <= MAX_DEFINITION_BYTES) return { text: readable, isTooLarge: false };
  const dense = stringify(sample, 0);
  return { text: dense, isTooLarge: Buffer.byteLength(dense) > MAX_DEFINITION_BYTES };
}

const HASHED_IDENTITY = /^sha256:[0-9a-f]{64}$/;

/** The header that identifies the delivery. `null` if no header does, or if only the hash of its value is stored. */
export function nameDelivery({ delivery_id: value, delivery_id_source: source }: Delivery, webhook: Webhook) {
  const name =
    source === 'header'
      ? webhook.delivery_id_header
      : source === 'provider'
        ? findProviderHeader(webhook)
        : source === 'service_header'
          ? 'X-Service-Delivery-Id'
          : null;
  if (name === null || value === null || HASHED_IDENTITY.test(value) || isCredentialHeader(name)) return null;
  return { [name]: value };
}

function findProviderHeader({ signature_scheme, signature }: Webhook): string | null {
  const scheme = resolveScheme(signature_scheme, signature);
  if (scheme?.family === 'token') return scheme.identity;
  if (scheme?.family !== 'signature') return null;
  const { identity } = scheme.headers[0];
  return identity?.in === 'header' ? identity.name : null;
}

function stringify(sample: unknown, indent: number): string {
  try {
    return `${JSON.stringify(sample, rejectInfinite, indent)}\n`;
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError('The body is nested too deeply to be written as a sample.', { cause });
  }
}

/** `1e400` is valid JSON but parses as infinity, which JSON cannot represent. Writing `null` would change the body. */
function rejectInfinite(key: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new CliError(`The number under ${JSON.stringify(key)} is too large to be written as a sample.`, {
    hint: 'Replace it with --redact, or write the sample by hand.',
  });
}

import type { AutomationTrigger, Delivery, DeliveryExplanation, Webhook } from '../../client/api-types.ts';
import { isCredentialHeader } from '../../definitions/signature/schemes/credential-headers.ts';
import { resolveScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { TRIGGER_PROVIDERS } from '../../definitions/triggers/providers.ts';
import { servedProvider } from '../../definitions/triggers/served-provider.ts';
import { MAX_DEFINITION_BYTES } from '../../domain/definitions/source-tree.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import { CliError } from '../exit-codes.ts';

/** What a sample is made of. */
interface RecordedDelivery {
  delivery: Delivery;
  /** The webhook as it is now. */
  webhook: Webhook;
  /** Of the automations of the factory, as they are now. */
  triggers: readonly AutomationTrigger[];
  explanation: DeliveryExplanation;
  body: Json;
}

/** The text of a sample. `isTooLarge`: larger than the limit for files, even without indentation. */
interface RenderedSample {
  text: string;
  isTooLarge: boolean;
}

/**
 * A stored delivery as the file `webhooks/<name>.samples/<sample>.json`. `starts` lists what the delivery started, even if
 * the definition has changed since.
 */
export function renderSample(recorded: RecordedDelivery): RenderedSample {
  const { delivery, explanation, body } = recorded;
  const headers = pickHeaders(recorded);
  const sample = {
    description: `${delivery.id}, received ${delivery.received_at}`,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    body,
    starts: explanation.decisions.filter(({ outcome }) => outcome === 'started').map(({ automation }) => automation),
  };
  const readable = stringify(sample, 2);
  if (Buffer.byteLength(readable) <= MAX_DEFINITION_BYTES) return { text: readable, isTooLarge: false };
  const dense = stringify(sample, 0);
  return { text: dense, isTooLarge: Buffer.byteLength(dense) > MAX_DEFINITION_BYTES };
}

const HASHED_IDENTITY = /^sha256:[0-9a-f]{64}$/;

/** The header that identifies the delivery, and the recorded ones that triggers of the webhook test. Never a credential. */
function pickHeaders({ delivery, webhook, triggers }: RecordedDelivery): { [name: string]: string } {
  const picked = new Map<string, string>(Object.entries(nameDelivery(delivery, webhook) ?? {}));
  const recorded = new Map(Object.entries((delivery.headers ?? {}) as { [name: string]: string }));
  const names = new Set([...picked.keys()].map((name) => name.toLowerCase()));
  for (const name of listTestedHeaders(webhook, triggers)) {
    const lowercase = name.toLowerCase();
    const value = recorded.get(lowercase);
    if (value === undefined || names.has(lowercase) || isCredentialHeader(name)) continue;
    names.add(lowercase);
    picked.set(name, value);
  }
  return Object.fromEntries(picked);
}

/** Names in the spelling of the provider or of the filter. */
function listTestedHeaders(webhook: Webhook, triggers: readonly AutomationTrigger[]): string[] {
  const { serves, signature_scheme: signatureScheme } = webhook;
  const eventName = TRIGGER_PROVIDERS.get(servedProvider({ serves, signatureScheme }) ?? '')?.eventName;
  const filtered = triggers.flatMap((trigger) => {
    if (!trigger.listens_to.includes(webhook.uid) || !('filter' in trigger) || !isJsonObject(trigger.filter)) return [];
    return isJsonObject(trigger.filter.headers) ? Object.keys(trigger.filter.headers) : [];
  });
  return eventName !== undefined && 'header' in eventName ? [eventName.header, ...filtered] : filtered;
}

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

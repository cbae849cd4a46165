import type { WebhookDefinition } from '../../domain/definitions/definition.ts';
import { readPath } from '../../domain/json.ts';
import { formatPath } from '../../domain/words/payload-filters.ts';
import type { ProblemCollector } from '../file-diagnostics.ts';
import type { Scheme } from '../signature/scheme.ts';
import { isCredentialHeader, mayCarryCredential } from '../signature/schemes/credential-headers.ts';
import { findDeliveryIdPath } from '../signature/schemes/delivery-id-path.ts';
import { resolveScheme } from '../signature/schemes/resolve-scheme.ts';
import { listIdentities, SCHEMES } from '../signature/schemes/schemes.ts';
import type { YamlText } from '../yaml/parse-yaml.ts';
import { listNamedHeaders } from './check-signature.ts';

/** Lint rules about one valid webhook. */
export function checkWebhook(webhook: WebhookDefinition, yaml: YamlText, diagnostics: ProblemCollector): void {
  checkProvider(webhook, yaml, diagnostics);
  checkIdentity(webhook, yaml, diagnostics);
}

// Names of providers that are also everyday words in a factory: a production line, a box, a linear axis.
const EVERYDAY_WORDS = new Set(['box', 'line', 'linear', 'meta', 'square', 'x']);
const SIGNING = new Map(
  SCHEMES.filter(({ family, name }) => family !== 'token' && !EVERYDAY_WORDS.has(name)).map((scheme) => [
    flatten(scheme.name),
    scheme,
  ]),
);

function flatten(name: string): string {
  return name.toLowerCase().replace(/[._-]/g, '');
}

function checkProvider({ name, authMode }: WebhookDefinition, yaml: YamlText, diagnostics: ProblemCollector): void {
  const scheme: Scheme | undefined = authMode === 'signature' ? undefined : SIGNING.get(flatten(name));
  if (scheme === undefined) return;
  const proof = authMode === 'token' ? 'expects a bearer token' : 'accepts every request to its URL';
  const message = `${scheme.title} signs its deliveries, but this webhook ${proof}.`;
  const hint = `Write "authMode: signature" and "signatureScheme: ${scheme.name}", see docs/schemes/${scheme.name}.md. If another sender uses the webhook, rename it.`;
  const { key: at } = yaml.locate(['authMode']);
  diagnostics.add({ rule: 'webhook/unsigned-provider', at, path: ['authMode'], message, hint });
}

/** Without an ID from the sender, two different deliveries with the same body count as one (specification, "Delivery identity"). */
function checkIdentity(webhook: WebhookDefinition, yaml: YamlText, diagnostics: ProblemCollector): void {
  if (!webhook.deduplicate || webhook.deliveryIdHeader !== null || findDeliveryIdPath(webhook) !== null) return;
  const scheme = resolveScheme(webhook.signatureScheme, webhook.signature);
  if (scheme !== null && listIdentities(scheme).length > 0) return;
  const message = 'A second delivery with the same body counts as a duplicate and starts nothing.';
  const hint =
    'Set the place of the event ID of the sender: "deliveryIdHeader: X-Event-Id", or "deliveryIdPath: id" in the payload.';
  const { key: at } = yaml.locate([]);
  diagnostics.add({ rule: 'webhook/no-delivery-id', at, path: ['deliveryIdHeader'], message, hint });
}

/** Delivery IDs and recorded headers are stored and shown, so they must not carry a credential. */
export function checkStoredHeaders(yaml: YamlText, diagnostics: ProblemCollector): void {
  const report = (path: (string | number)[], header: string, why: string, hint: string) => {
    const message = `${formatPath(path)} is ${header}, a header that contains a credential or a signature. ${why}`;
    diagnostics.add({ rule: 'webhook/credential-header', at: yaml.locate(path).value, path, message, hint });
  };
  const signing = listNamedHeaders(yaml.value);
  for (const path of [['deliveryIdHeader'], ['signature', 'idHeader']]) {
    const header = readPath(yaml.value, path);
    if (typeof header !== 'string' || !(signing.includes(header.toLowerCase()) || isCredentialHeader(header))) continue;
    const hint = 'Use the header that contains the ID of the event, for example X-Event-Id, or remove the key.';
    report(path, header, 'Delivery IDs are logged.', hint);
  }
  for (const { path, header } of listRecorded(yaml.value)) {
    if (typeof header !== 'string' || !(signing.includes(header.toLowerCase()) || mayCarryCredential(header))) continue;
    report(path, header, 'Its value would be stored.', 'Remove the header. Dockbell never stores a credential.');
  }
}

/** The headers that the keys `event` and `recordHeaders` name. */
function listRecorded(declared: unknown): { path: (string | number)[]; header: unknown }[] {
  const recorded = readPath(declared, ['recordHeaders']);
  const listed = Array.isArray(recorded) ? recorded : [];
  return [
    { path: ['event', 'header'], header: readPath(declared, ['event', 'header']) },
    ...listed.map((header: unknown, index) => ({ path: ['recordHeaders', index], header })),
  ];
}

import { quoteForShell } from './escape-text.ts';
import { JSON_FIELD } from './names.ts';

/** The header that names a delivery if the webhook names no header for it. */
const SERVICE_DELIVERY_ID_HEADER = 'X-Service-Delivery-Id';

const TOKEN_PLACEHOLDER = '{token}';
const EXAMPLE_JSON = '{"hello": "dockbell"}';
const EXAMPLE_FORM = 'hello=dockbell';
const CONTENT_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' };

/**
 * A new delivery ID each time a shell runs it, also twice in one second. `date` alone repeats itself, and `uuidgen` and
 * `$RANDOM` do not exist everywhere.
 */
const NEW_ID = `test-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n')`;

/** A value in a command: fixed, or filled in by the shell. */
type ShellValue =
  | string
  /** A new delivery ID each time the command runs. */
  | { kind: 'new-id' }
  /** `before`, then the value of a shell variable. */
  | { kind: 'variable'; before: string; variable: string };

/** The parts of a request that a curl command sends. */
interface CurlRequest {
  url: ShellValue;
  headers: readonly (readonly [name: string, value: ShellValue])[];
  body: string;
}

/** A webhook that commands send to, as the management API returns it. */
interface SendTarget {
  name: string;
  factory: string;
  auth_mode: 'token' | 'url_token' | 'signature';
  signature_scheme: string | null;
  /** For `url_token` it ends with the placeholder `/{token}`; in the response that creates the webhook, with the secret. */
  ingress_url: string;
  secret_name: string;
  delivery_id_header: string | null;
  body_format: 'json' | 'form';
  form_field: string | null;
}

/** A body that the webhook accepts. */
function composeExample({ body_format, form_field }: Pick<SendTarget, 'body_format' | 'form_field'>): string {
  return body_format === 'json' || form_field !== null ? EXAMPLE_JSON : EXAMPLE_FORM;
}

/** The body as the sender posts it: JSON for a webhook with forms is in its field, or in `payload`. */
function encodeBody({ body_format, form_field }: Pick<SendTarget, 'body_format' | 'form_field'>, body: string): string {
  const isJson = /^\s*[{[]/.test(body);
  return body_format === 'form' && isJson ? new URLSearchParams({ [form_field ?? JSON_FIELD]: body }).toString() : body;
}

/** One line that posts a request with curl. */
export function renderCurl({ url, headers, body }: CurlRequest): string {
  const options = headers.map(([name, value]) => `-H ${renderValue(value, `${name}: `)}`);
  return ['curl -i', renderValue(url), ...options, '-d', quoteForShell(body)].join(' ');
}

function renderValue(value: ShellValue, before = ''): string {
  if (typeof value === 'string') return quoteForShell(before + value);
  if (value.kind === 'new-id') return `${quoteForShell(before)}"${NEW_ID}"`;
  return `${quoteForShell(before + value.before)}"$${value.variable}"`;
}

/**
 * One line that sends a delivery to a webhook with a bearer token or a URL token. Each time it runs it sends a new
 * delivery ID, so that no delivery is a duplicate.
 *
 * @param secret `null` if it is unknown: the shell variable with the name of the secret stands for it
 * @param body JSON, or a form
 */
export function buildTokenCurl(
  webhook: Omit<SendTarget, 'factory' | 'name' | 'signature_scheme'>,
  secret: string | null,
  body: string = composeExample(webhook),
): string {
  const prove = (before: string): ShellValue =>
    secret === null ? { kind: 'variable', before, variable: webhook.secret_name } : before + secret;
  const { auth_mode, ingress_url } = webhook;
  return renderCurl({
    url: ingress_url.endsWith(TOKEN_PLACEHOLDER) ? prove(ingress_url.slice(0, -TOKEN_PLACEHOLDER.length)) : ingress_url,
    headers: [
      ...(auth_mode === 'url_token' ? [] : [['Authorization', prove('Bearer ')] as const]),
      [webhook.delivery_id_header ?? SERVICE_DELIVERY_ID_HEADER, { kind: 'new-id' }],
      ['Content-Type', CONTENT_TYPES[webhook.body_format]],
    ],
    body: encodeBody(webhook, body),
  });
}

/** One line that sends a delivery with our own command. It signs if the webhook needs a signature. */
export function buildSendCommand({
  name,
  factory,
  body_format = 'json',
  form_field = null,
}: {
  name: string;
  factory: string | null;
  body_format?: 'json' | 'form';
  form_field?: string | null;
}): string {
  const option = factory === null ? '' : ` --factory ${quoteForShell(factory)}`;
  return `dockbell send ${quoteForShell(name)}${option} --data ${quoteForShell(composeExample({ body_format, form_field }))}`;
}

/**
 * The command to show for a webhook: curl if curl can send a valid request, else `dockbell send`. For Standard Webhooks
 * with a known secret, openssl signs.
 *
 * @param secret `null` if it is unknown
 */
export function buildSendingCommand(webhook: SendTarget, secret: string | null): string {
  if (webhook.auth_mode !== 'signature') return buildTokenCurl(webhook, secret);
  return webhook.signature_scheme === 'standard_webhooks' && secret !== null
    ? buildStandardWebhooksCurl(webhook, secret)
    : buildSendCommand(webhook);
}

/** Signs as Standard Webhooks specifies: HMAC-SHA-256 of ID, time and body, with the bytes behind `whsec_`. */
function buildStandardWebhooksCurl(webhook: SendTarget, secret: string): string {
  const { ingress_url, delivery_id_header, body_format } = webhook;
  const ownId = delivery_id_header === null ? [] : [`-H ${quoteForShell(`${delivery_id_header}: `)}"$id"`];
  const send = [
    `curl -i ${quoteForShell(ingress_url)}`,
    `-H "webhook-id: $id"`,
    `-H "webhook-timestamp: $at"`,
    `-H "webhook-signature: v1,$signature"`,
    ...ownId,
    `-H 'Content-Type: ${CONTENT_TYPES[body_format]}'`,
    `-d "$body"`,
  ];
  return [
    `at=$(date +%s); id="${NEW_ID}"; body=${quoteForShell(encodeBody(webhook, composeExample(webhook)))}`,
    `key=$(printf %s ${quoteForShell(secret.replace(/^whsec_/, ''))} | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`,
    `signature=$(printf %s "$id.$at.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)`,
    send.join(' \\\n  '),
  ].join('\n');
}

import type { Webhook } from '../../api/types.ts';

const EXAMPLE = '{"hello": "dockbell"}';

type Target = Pick<
  Webhook,
  'factory' | 'name' | 'auth_mode' | 'signature_scheme' | 'ingress_url' | 'secret_name' | 'delivery_id_header'
>;

/** Our own command that posts one delivery as a real sender of this webhook would, signed where it has to be. */
export function buildSend({ factory, name }: Pick<Target, 'factory' | 'name'>): string {
  return `dockbell send ${quote(name)} --factory ${quote(factory)} --data ${quote(EXAMPLE)}`;
}

/**
 * Lines for a shell that send one delivery. With the secret they work as they stand; without it, a variable of the
 * secret's name stands in its place. Each call names a delivery of its own, so that the second is no duplicate. With a
 * secret for Standard Webhooks, openssl signs; other signatures are for our own command to make.
 *
 * @param secret `null` where it is not known any more
 */
export function buildCurl(webhook: Target, secret: string | null): string {
  if (webhook.auth_mode === 'signature') {
    return webhook.signature_scheme === 'standard_webhooks' && secret !== null
      ? buildSignedCurl(webhook, secret)
      : buildSend(webhook);
  }
  const lines = [
    `curl -i ${quoteUrl(webhook, secret)}`,
    ...(webhook.auth_mode === 'token' ? [`-H ${quoteWithSecret('Authorization: Bearer ', webhook, secret)}`] : []),
    `-H ${quote(`${webhook.delivery_id_header ?? 'X-Service-Delivery-Id'}: `)}"$(date +%s)"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(EXAMPLE)}`,
  ];
  return lines.join(' \\\n  ');
}

/** As the specification of Standard Webhooks signs: HMAC-SHA-256 of ID, time and body, with the bytes behind `whsec_`. */
function buildSignedCurl({ ingress_url, delivery_id_header }: Target, secret: string): string {
  const own = delivery_id_header === null ? [] : [`-H ${quote(`${delivery_id_header}: `)}"$id"`];
  const send = [
    `curl -i ${quote(ingress_url)}`,
    `-H "webhook-id: $id"`,
    `-H "webhook-timestamp: $at"`,
    `-H "webhook-signature: v1,$signature"`,
    ...own,
    `-H 'Content-Type: application/json'`,
    `-d "$body"`,
  ];
  return [
    `at=$(date +%s); id=msg_$at; body=${quote(EXAMPLE)}`,
    `key=$(printf %s ${quote(secret.replace(/^whsec_/, ''))} | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`,
    `signature=$(printf %s "$id.$at.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)`,
    send.join(' \\\n  '),
  ].join('\n');
}

function quoteUrl(webhook: Target, secret: string | null): string {
  const { ingress_url } = webhook;
  if (!ingress_url.endsWith('{token}')) return quote(ingress_url);
  return quoteWithSecret(ingress_url.slice(0, -'{token}'.length), webhook, secret);
}

function quoteWithSecret(before: string, { secret_name }: Target, secret: string | null): string {
  return secret === null ? `${quote(before)}"$${secret_name}"` : quote(before + secret);
}

function quote(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

import type { Webhook } from '../../api/types.ts';

const EXAMPLE = '{"hello": "dockbell"}';

type Target = Pick<Webhook, 'name' | 'auth_mode' | 'ingress_url' | 'secret_name' | 'delivery_id_header'>;

/**
 * Lines for a shell that send one delivery. With the secret they work as they stand; without it, a variable of the
 * secret's name stands in its place. Each call names a delivery of its own, so that the second is no duplicate. A signature is not for curl to make: there it is our own command.
 *
 * @param secret `null` where it is not known any more
 */
export function buildCurl(webhook: Target, secret: string | null): string {
  if (webhook.auth_mode === 'signature') return `dockbell send ${quote(webhook.name)} --data ${quote(EXAMPLE)}`;
  const lines = [
    `curl -i ${quoteUrl(webhook, secret)}`,
    ...(webhook.auth_mode === 'token' ? [`-H ${quoteWithSecret('Authorization: Bearer ', webhook, secret)}`] : []),
    `-H ${quote(`${webhook.delivery_id_header ?? 'X-Service-Delivery-Id'}: `)}"$(date +%s)"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(EXAMPLE)}`,
  ];
  return lines.join(' \\\n  ');
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

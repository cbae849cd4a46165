import { describeScheme, type SignatureSchemeFacts } from '../../signature/schemes/describe-scheme.ts';
import { resolveScheme } from '../../signature/schemes/resolve-scheme.ts';
import type { Webhook } from '../api-types.ts';

/**
 * How to send to this webhook: lines to paste, with the secret as a shell variable and never its value.
 *
 * @param factoryOption as `Session.factoryOption` returns it
 */
export function describeSending(webhook: Webhook, factoryOption: string): string[] {
  const send = `dockbell send ${webhook.name}${factoryOption} --data '{"hello": "world"}'`;
  return webhook.auth_mode === 'signature' ? describeSigned(webhook, send) : [describeCurl(webhook), send];
}

function describeCurl(webhook: Webhook): string {
  const secret = `$${webhook.secret_name}`;
  const isUrlToken = webhook.auth_mode === 'url_token';
  const url = isUrlToken ? webhook.ingress_url.replace(/\{token\}$/, secret) : webhook.ingress_url;
  const lines = [
    `curl -X POST "${escapeInQuotes(url, secret)}"`,
    ...(isUrlToken ? [] : [`-H "Authorization: Bearer ${secret}"`]),
    ...(webhook.delivery_id_header === null ? [] : [`-H "${webhook.delivery_id_header}: test-$(date +%s)"`]),
    `-H 'Content-Type: application/json'`,
    `-d '{"hello": "world"}'`,
  ];
  return lines.join(' \\\n  ');
}

/** The URL inside double quotes of a shell; the variable at its end is meant to be replaced. */
function escapeInQuotes(url: string, variable: string): string {
  const fixed = url.endsWith(variable) ? url.slice(0, -variable.length) : url;
  return fixed.replace(/["$`\\]/g, '\\$&') + url.slice(fixed.length);
}

function describeSigned(webhook: Webhook, send: string): string[] {
  const scheme = resolveScheme(webhook.signature_scheme, webhook.signature);
  if (scheme === null) return [send];
  const facts = describeScheme(scheme);
  const { credentialPlaces: places, title: sender, documentation, signedWith } = facts;
  const shown = places.length > 3 ? `${places[0]} and on` : places.join(' or ');
  const more = documentation === '' ? '' : `; see ${documentation}`;
  return [
    `# ${capitalize(sender)} proves itself with ${webhook.secret_name}, in ${shown}.`,
    `# Give ${sender} the URL above${more}`,
    ...(signedWith === 'secret' ? ['# To try it without the provider:', send] : describeOthersKey(facts, webhook)),
  ];
}

/** The daemon has nothing to sign with. */
function describeOthersKey(
  { name, title, signedWith }: SignatureSchemeFacts,
  { ingress_url, signature }: Webhook,
): string[] {
  if (signedWith === 'provider') return [`# Only ${title} can sign for it, so try it from there.`];
  const block = signature === null ? '' : ` --signature '${JSON.stringify(signature).replaceAll("'", "'\\''")}'`;
  return [
    '# The secret is a public key, which cannot sign. With a key pair of your own, store its public key and try:',
    `dockbell send --to "${ingress_url}" --auth-mode signature --scheme ${name}${block} --secret-file private.pem`,
  ];
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

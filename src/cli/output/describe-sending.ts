import type { Webhook } from '../../client/api-types.ts';
import { describeScheme, type SignatureSchemeFacts } from '../../definitions/signature/schemes/describe-scheme.ts';
import { resolveScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { quoteForShell } from '../../domain/words/escape-text.ts';
import { buildSendCommand, buildTokenCurl } from '../../domain/words/sending-commands.ts';

/**
 * Lines to paste that send a delivery to a webhook. The secret is a shell variable; its value is never printed.
 *
 * @param factory name of the factory if the command has to name it, else `null`
 */
export function describeSending(webhook: Webhook, factory: string | null): string[] {
  const send = buildSendCommand({ name: webhook.name, factory });
  return webhook.auth_mode === 'signature' ? describeSigned(webhook, send) : [buildTokenCurl(webhook, null), send];
}

function describeSigned(webhook: Webhook, send: string): string[] {
  const scheme = resolveScheme(webhook.signature_scheme, webhook.signature);
  if (scheme === null) return [send];
  const facts = describeScheme(scheme);
  const { credentialPlaces: places, title: sender, documentation, signedWith } = facts;
  const shown = places.length > 3 ? `${places[0]} and others` : places.join(' or ');
  const more = documentation === '' ? '' : `; see ${documentation}`;
  return [
    `# ${capitalize(sender)} authenticates with ${webhook.secret_name}, in ${shown}.`,
    `# Enter the URL above at ${sender}${more}`,
    ...(signedWith === 'secret' ? ['# To test without the provider:', send] : describeOthersKey(facts, webhook)),
  ];
}

/** The daemon cannot sign for these schemes. */
function describeOthersKey(
  { name, title, signedWith }: SignatureSchemeFacts,
  { ingress_url, signature }: Webhook,
): string[] {
  if (signedWith === 'provider') return [`# Only ${title} can sign a delivery, so test from there.`];
  const block = signature === null ? '' : ` --signature ${quoteForShell(JSON.stringify(signature))}`;
  return [
    '# The secret is a public key, which cannot sign. To test, create a key pair, store its public key, and run:',
    `dockbell send --to "${ingress_url}" --auth-mode signature --scheme ${name}${block} --secret-file private.pem`,
  ];
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

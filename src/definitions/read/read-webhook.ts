import type { WebhookDefinition } from '../../core/definition.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { readDeclared } from '../../core/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../../core/resources/webhook.ts';
import type { WebhookAuth } from '../../signature/handshakes/handshake.ts';
import { findHandshakes, HANDSHAKES } from '../../signature/handshakes/handshakes.ts';
import { parseYaml, type YamlText } from '../../yaml/parse-yaml.ts';
import { checkDefinitionSchema } from '../check/check-definition-schema.ts';
import { checkSignatureBlock } from '../check/check-signature.ts';
import { checkIdHeaders, checkWebhook } from '../check/check-webhook.ts';
import type { Findings } from '../findings.ts';

/**
 * Reads the text of `webhooks/<name>.yaml`.
 *
 * @returns `null` if the file has errors; the problems are in `findings`
 */
export function readWebhook(name: string, text: string, findings: Findings): WebhookDefinition | null {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    findings.addAll(parsed.findings);
    return null;
  }
  checkDefinitionSchema('webhook', parsed.yaml, findings);
  checkIdHeaders(parsed.yaml, findings);
  checkVerifyToken(parsed.yaml, findings);
  if (!findings.hasErrors()) checkSignatureBlock(parsed.yaml, findings);
  if (findings.hasErrors()) return null;
  const webhook = toWebhook(name, parsed.yaml, findings.file);
  checkWebhook(webhook, parsed.yaml, findings);
  return webhook;
}

/** A verify token that no sender sends is a mistake. */
function checkVerifyToken(yaml: YamlText, findings: Findings): void {
  if (!isJsonObject(yaml.value) || yaml.value.verifyTokenSecretName === undefined) return;
  const { authMode = 'token', signatureScheme = null } = yaml.value;
  const owner = { authMode, signatureScheme } as WebhookAuth;
  if (findHandshakes(owner).some((row) => row.needsVerifyToken)) return;
  const schemes = HANDSHAKES.flatMap((row) => (row.needsVerifyToken && row.scheme !== null ? [row.scheme] : []));
  findings.add({
    rule: 'webhook/unused-verify-token',
    at: yaml.locate(['verifyTokenSecretName']).key,
    path: ['verifyTokenSecretName'],
    message: 'verifyTokenSecretName is set, but no sender of this webhook sends a verify token.',
    hint: `Remove the key. It is only for "signatureScheme: ${schemes.join('" or "signatureScheme: ')}" and for "authMode: url_token".`,
  });
}

function toWebhook(name: string, yaml: YamlText, file: string): WebhookDefinition {
  const declared = yaml.value as JsonObject;
  const verifyToken = declared.verifyTokenSecretName === undefined ? null : yaml.locate(['verifyTokenSecretName']);
  return {
    ...readDeclared(WEBHOOK_FIELDS, declared),
    name,
    file,
    secretNameAt: yaml.locate(['secretName']).value,
    verifyTokenSecretNameAt: verifyToken?.value ?? null,
  };
}

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
import type { FileDiagnostics } from '../file-diagnostics.ts';

/**
 * Reads the text of `webhooks/<name>.yaml`.
 *
 * @returns `null` if the file has errors; the problems are in `diagnostics`
 */
export function readWebhook(name: string, text: string, diagnostics: FileDiagnostics): WebhookDefinition | null {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    diagnostics.addAll(parsed.problems);
    return null;
  }
  checkDefinitionSchema('webhook', parsed.yaml, diagnostics);
  checkIdHeaders(parsed.yaml, diagnostics);
  checkVerifyToken(parsed.yaml, diagnostics);
  if (!diagnostics.hasErrors()) checkSignatureBlock(parsed.yaml, diagnostics);
  if (diagnostics.hasErrors()) return null;
  const webhook = toWebhook(name, parsed.yaml, diagnostics.file);
  checkWebhook(webhook, parsed.yaml, diagnostics);
  return webhook;
}

/** A verify token that no sender sends is a mistake. */
function checkVerifyToken(yaml: YamlText, diagnostics: FileDiagnostics): void {
  if (!isJsonObject(yaml.value) || yaml.value.verifyTokenSecretName === undefined) return;
  const { authMode = 'token', signatureScheme = null } = yaml.value;
  const owner = { authMode, signatureScheme } as WebhookAuth;
  if (findHandshakes(owner).some((row) => row.needsVerifyToken)) return;
  const schemes = HANDSHAKES.flatMap((row) => (row.needsVerifyToken && row.scheme !== null ? [row.scheme] : []));
  diagnostics.add({
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

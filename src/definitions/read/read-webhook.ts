import type { WebhookDefinition } from '../../domain/definitions/definition.ts';
import type { TreeEntry } from '../../domain/definitions/source-tree.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { readDeclared } from '../../domain/resources/fields.ts';
import { bareName, type ProviderNames } from '../../domain/resources/provider-names.ts';
import { type DeclaredWebhook, WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import { checkDefinitionSchema } from '../check/check-definition-schema.ts';
import { checkProviderKeys } from '../check/check-provider-keys.ts';
import { checkSignatureBlock } from '../check/check-signature.ts';
import { checkStoredHeaders, checkWebhook } from '../check/check-webhook.ts';
import { FileFindings, type ProblemCollector } from '../file-diagnostics.ts';
import type { WebhookAuth } from '../signature/handshakes/handshake.ts';
import { findHandshakes, HANDSHAKES } from '../signature/handshakes/handshakes.ts';
import { parseYaml, type YamlText } from '../yaml/parse-yaml.ts';
import type { WebhookResult } from './file-result.ts';
import { readDefinitionText } from './read-definition-text.ts';

/** Reads `webhooks/<name>.yaml`. */
export function readWebhookFile(name: string, entry: TreeEntry, findings: FileFindings): WebhookResult {
  const [signature, lint] = [new FileFindings(findings.file), new FileFindings(findings.file)];
  const text = readDefinitionText(entry, findings);
  const definition = text === null ? null : readWebhook(name, text, { findings, signature, lint });
  return {
    kind: 'webhook',
    path: entry.path,
    digest: entry.digest,
    findings: findings.toFindings(),
    definition,
    signatureFindings: signature.toFindings(),
    lintFindings: lint.toFindings(),
  };
}

/** The problems of a webhook, by the step that finds them. A step follows only if there is no error before it. */
interface Steps {
  findings: FileFindings;
  signature: FileFindings;
  lint: FileFindings;
}

function readWebhook(name: string, text: string, { findings, signature, lint }: Steps): WebhookDefinition | null {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    findings.addAll(parsed.problems);
    return null;
  }
  checkDefinitionSchema('webhook', parsed.yaml, findings);
  checkStoredHeaders(parsed.yaml, findings);
  checkVerifyToken(parsed.yaml, findings);
  if (!findings.hasErrors())
    checkProviderKeys(readDeclared(WEBHOOK_FIELDS, parsed.yaml.value as JsonObject), parsed.yaml, findings);
  if (!findings.hasErrors()) checkSignatureBlock(parsed.yaml, signature);
  if (findings.hasErrors() || signature.hasErrors()) return null;
  const webhook = toWebhook(name, parsed.yaml, findings.file);
  lint.addAll(parsed.doubts);
  checkWebhook(webhook, parsed.yaml, lint);
  return webhook;
}

/** A verify token that no sender sends is a mistake. */
function checkVerifyToken(yaml: YamlText, diagnostics: ProblemCollector): void {
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
  const keys = readDeclared(WEBHOOK_FIELDS, declared);
  return {
    ...keys,
    ...normalizeProviderKeys(keys),
    name,
    file,
    secretNameAt: yaml.locate(['secretName']).value,
    verifyTokenSecretNameAt: verifyToken?.value ?? null,
  };
}

type ProviderKeys = Pick<DeclaredWebhook, 'names' | 'botUsername' | 'ignoreActors'>;

/** Trims names, IDs and accounts, and removes `#` and `@` in front of names, so that one account has one form. */
function normalizeProviderKeys({ names, botUsername, ignoreActors }: ProviderKeys): ProviderKeys {
  return {
    names: names === null ? null : normalizeNames(names),
    botUsername: botUsername === null ? null : bareName(botUsername),
    ignoreActors: [...new Set(ignoreActors.map(bareName))],
  };
}

function normalizeNames(names: ProviderNames): ProviderNames {
  const kinds = Object.entries(names).map(([kind, ids]) => [kind, normalizeIds(ids)]);
  return Object.fromEntries(kinds) as ProviderNames;
}

function normalizeIds(ids: { [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [bareName(name), id.trim()]));
}

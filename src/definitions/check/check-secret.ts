import type { WebhookDefinition } from '../../domain/definitions/definition.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import { type FileProblem, toDiagnostic } from '../file-diagnostics.ts';
import { resolveScheme } from '../signature/schemes/resolve-scheme.ts';
import { compileVerifier } from '../signature/verify/compile-verifier.ts';

const MIN_STRONG_LENGTH = 16;
// A header value is trimmed at both ends and cannot contain control characters (RFC 9110, section 5.5).
const UNSENDABLE = /^[ \t]|[ \t]$|[\u0000-\u001f\u007f]/;
const URL_SAFE = /^(?!\.{1,2}$)[A-Za-z0-9._~-]*$/;

/**
 * Does the value of its team secret fit a webhook? The diagnostics are reported at `secretName` and never contain the value
 * or a part of it. See the specification, "Errors", and the decisions, "Definition files".
 */
export function checkSecretForWebhook(webhook: WebhookDefinition, value: SecretValue): Diagnostic[] {
  const found = describeUnfit(webhook, value.reveal());
  if (found === null) return [];
  return [toDiagnostic(webhook.file, { ...found, at: webhook.secretNameAt, path: ['secretName'] })];
}

/**
 * Can this webhook be applied before its secret exists? Only if it is disabled and the provider issues the secret after it
 * has the URL (decisions, "Three ways to hold a factory's definition").
 */
export function awaitsIssuedSecret({ enabled, authMode, signatureScheme, signature }: WebhookDefinition): boolean {
  if (enabled || authMode !== 'signature') return false;
  return resolveScheme(signatureScheme, signature)?.whenSecretIsIssued === 'after';
}

type Unfit = Pick<FileProblem, 'rule' | 'message' | 'hint'>;

/** What a secret has to fit. */
type SecretUser = Pick<WebhookDefinition, 'authMode' | 'secretName' | 'signatureScheme' | 'signature'>;

/** Why an apply of this webhook would reject the value; `null` if the value fits. The texts contain no part of it. */
export function describeUnfit(webhook: SecretUser, text: string): Unfit | null {
  const { authMode, secretName } = webhook;
  if (text === '') {
    const message = `The secret ${secretName} is empty, so anyone could send deliveries.`;
    return { rule: 'webhook/empty-secret', message, hint: hintToUpdate(secretName) };
  }
  if (authMode === 'signature') return describeUnusable(webhook, text);
  if (authMode === 'url_token' && !URL_SAFE.test(text)) return describeUnsafe(secretName);
  if (authMode === 'token' && UNSENDABLE.test(text)) return describeUnsendable(secretName);
  // Counted in characters, as the decisions say: characters outside the basic plane count once.
  return [...text].length < MIN_STRONG_LENGTH ? describeWeak(secretName) : null;
}

function describeUnusable({ signatureScheme, signature, secretName }: SecretUser, text: string): Unfit | null {
  const scheme = resolveScheme(signatureScheme, signature);
  const verifier = scheme === null ? null : compileVerifier(scheme, text);
  if (verifier === null || verifier.ok) return null;
  const message = `The team secret ${secretName} cannot be used: ${verifier.message}`;
  return { rule: 'webhook/unusable-secret', message, hint: verifier.hint };
}

function describeUnsafe(secretName: string): Unfit {
  const message = `The secret ${secretName} is not URL-safe, but the URL of a url_token webhook contains it.`;
  const hint = `Use only letters, digits, "-", ".", "_" and "~". The values "." and ".." are not allowed. ${hintToUpdate(secretName)}`;
  return { rule: 'webhook/unsafe-secret', message, hint };
}

function describeUnsendable(secretName: string): Unfit {
  const message = `The secret ${secretName} starts or ends with a space, or contains a line break or another control character. No sender can put it in an Authorization header.`;
  const hint = `Store it without these characters: "printf %s VALUE | dockbell secret update ${secretName}" adds no line break.`;
  return { rule: 'webhook/unsendable-secret', message, hint };
}

function describeWeak(secretName: string): Unfit {
  const message = `The secret ${secretName} is shorter than ${MIN_STRONG_LENGTH} characters and can be guessed.`;
  return { rule: 'webhook/weak-secret', message, hint: hintToUpdate(secretName) };
}

function hintToUpdate(secretName: string): string {
  return `Change the value with "dockbell secret update ${secretName}".`;
}

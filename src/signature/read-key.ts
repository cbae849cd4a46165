import type { KeyForm, Scheme } from './schemes.ts';

/** Why a secret cannot serve a scheme. Neither text ever holds any of the secret. */
export interface UnusableSecret {
  ok: false;
  message: string;
  hint: string;
}

export type ReadKey = { ok: true; form: KeyForm; bytes: Buffer } | UnusableSecret;

/** Turns the stored secret into key bytes, in the first form of the scheme that fits its beginning. */
export function readKey(scheme: Scheme, secretText: string): ReadKey {
  const refusal = refuseText(scheme, secretText);
  if (refusal !== null) return unusable(scheme, refusal);
  const form = scheme.keys.find((key) => secretText.startsWith(key.prefix));
  if (form === undefined) return unusable(scheme, 'has no form that the scheme knows');
  const bytes = form.decode === 'text' ? Buffer.from(secretText, 'utf8') : decodeBase64(secretText, form.prefix);
  if (bytes === null) return unusable(scheme, 'is not base64');
  if (bytes.length < form.minBytes || bytes.length > form.maxBytes) {
    return unusable(scheme, `is ${bytes.length} bytes long`);
  }
  return { ok: true, form, bytes };
}

function refuseText(scheme: Scheme, secretText: string): string | null {
  if (secretText.trim() === '') return 'is empty';
  // No provider issues such a secret, and with it every delivery would fail: it comes from `echo` or a file.
  if (/^[\r\n]|[\r\n]$/.test(secretText)) return 'begins or ends with a line break, which is not part of it';
  const refused = scheme.refusedSecrets.find((entry) => secretText.startsWith(entry.prefix));
  return refused === undefined ? null : `is ${refused.is}`;
}

function unusable(scheme: Scheme, what: string): UnusableSecret {
  return { ok: false, message: `The secret for ${scheme.title} ${what}.`, hint: describeSecret(scheme) };
}

/** How the secret of a scheme is to be pasted: one sentence for people. */
export function describeSecret(scheme: Scheme): string {
  const forms = scheme.keys.filter((key) => key.decode === 'base64' && key.prefix !== '').map(describeForm);
  if (forms.length === 0) return `Paste the secret exactly as ${scheme.title} has it, as a whole.`;
  return `Paste the secret exactly as the sender shows it: ${forms.reverse().join(', or ')}.`;
}

function describeForm(form: KeyForm): string {
  const size = form.minBytes === form.maxBytes ? `${form.minBytes}` : `${form.minBytes} to ${form.maxBytes}`;
  return `\`${form.prefix}\` and the base64 of ${size} bytes`;
}

/** Strict: standard alphabet, nothing behind it, padding whole or left out. */
function decodeBase64(secretText: string, prefix: string): Buffer | null {
  const text = secretText.slice(prefix.length);
  const unpadded = text.replace(/={1,2}$/, '');
  const bytes = Buffer.from(unpadded, 'base64');
  const canonical = bytes.toString('base64');
  return text === canonical || text === canonical.replace(/=+$/, '') ? bytes : null;
}

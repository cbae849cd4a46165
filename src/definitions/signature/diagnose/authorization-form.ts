import type { Scheme } from '../scheme.ts';
import type { DiagnosedRequest } from './mistake.ts';
import { describePlace } from './token-mistakes.ts';

/** Schemes of `Authorization` that a sentence may name. Any other word could be part of a secret. */
const KNOWN_SCHEMES = ['Bearer', 'Basic', 'Token', 'Digest', 'Negotiate', 'AWS4-HMAC-SHA256'];

/**
 * Compares the form of the `Authorization` header with the form that the webhook expects. `null` for a scheme without a
 * token in `Authorization`. Contains no part of the value.
 */
export function describeAuthorization({
  scheme,
  headers,
}: Pick<DiagnosedRequest, 'scheme' | 'headers'>): string | null {
  const expected = listExpected(scheme);
  if (expected.length === 0) return null;
  const found = describeValue(headers.get('authorization') ?? '');
  return `The request has ${found}, but the webhook expects ${expected.join(' or ')}: enter the secret at the sender again, in that form.`;
}

function listExpected(scheme: Scheme): string[] {
  if (scheme.family !== 'token') return [];
  return scheme.places.filter(({ in: kind }) => kind === 'bearer' || kind === 'basic').map(describePlace);
}

function describeValue(value: string): string {
  const name = KNOWN_SCHEMES.find((known) => value.toLowerCase().startsWith(known.toLowerCase()));
  if (name === undefined) return '`Authorization` without `Bearer` or `Basic`';
  const rest = value.slice(name.length);
  if (rest === '') return `\`Authorization: ${name}\` without a value`;
  if (!rest.startsWith(' ')) return `\`Authorization: ${name}\` without a space after \`${name}\``;
  if (name !== 'Basic') return `\`Authorization: ${name}\``;
  const bytes = Buffer.from(rest.trim(), 'base64');
  if (bytes.toString('base64') !== rest.trim()) return '`Authorization: Basic` with a value that is not base64';
  return bytes.includes(':')
    ? '`Authorization: Basic` with user and password'
    : '`Authorization: Basic` with a value that has no colon between user and password';
}

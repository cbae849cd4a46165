import { AUTH_REASONS } from '../../../domain/words/delivery-reasons.ts';
import type { SecretCandidate } from '../rejected-request.ts';
import { type DiagnosedRequest, findHmacForm, type Mistake, type SchemeVariant, withKeyBytes } from './mistake.ts';

/** Mistakes with the secret: in the secret store, at the provider, or in the sender's code. */
export const SECRET_MISTAKES: readonly Mistake[] = [
  { id: 'old_secret_version', tried: 'older versions of the secret', vary: varyOlder },
  { id: 'new_secret_version', tried: 'newer versions of the secret', vary: varyNewer },
  { id: 'secret_padding', tried: 'the stored secret without surrounding quotes and spaces', vary: varyPadding },
  { id: 'secret_newline', tried: "a line break at the end of the sender's secret", vary: varyNewline },
  { id: 'secret_decoded', tried: 'the secret decoded from base64 or hex', vary: varyDecoded },
  { id: 'secret_as_text', tried: 'the secret as text, with and without its prefix', vary: varyAsText },
  { id: 'secret_encoded', tried: 'the secret encoded in base64 or hex', vary: varyEncoded },
];

function varyOlder({ secret, otherSecrets }: DiagnosedRequest): SchemeVariant[] {
  const older = otherSecrets.filter(({ version }) => version < secret.version);
  return older.map((one) => varyVersion('old_secret_version', one));
}

function varyNewer({ secret, otherSecrets }: DiagnosedRequest): SchemeVariant[] {
  const newer = otherSecrets.filter(({ version }) => version > secret.version);
  return newer.map((one) => varyVersion('new_secret_version', one));
}

function varyVersion(
  reason: 'old_secret_version' | 'new_secret_version',
  { version, text: secretText, history = `version ${version}` }: SecretCandidate,
): SchemeVariant {
  const { text, remedy } = AUTH_REASONS[reason];
  return { secretText, sentence: `${text.replace(/\.$/, '')} (${history}): ${remedy}.` };
}

function* varyPadding({ secret }: DiagnosedRequest): Iterable<SchemeVariant> {
  const bare = secret.text.trim().replace(/^(["'`])(.*)\1$/s, '$2');
  if (bare === secret.text || bare === '') return;
  const sentence =
    'The stored secret is surrounded by quotes or spaces that the sender does not use: store the secret again without them.';
  yield { secretText: bare, sentence };
}

function varyNewline(request: DiagnosedRequest): SchemeVariant[] {
  const sentence =
    'The sender signs with a line break at the end of its secret: enter the secret at the sender without the line break (`echo` adds one, `printf %s` does not).';
  return varyKey(request, (text) => [Buffer.from(`${text}\n`), Buffer.from(`${text}\r\n`)]).map((one) => ({
    ...one,
    sentence,
  }));
}

/** A prefix such as `whsec_`. */
const PREFIX = /^[A-Za-z]{2,8}_(?=.)/;

function varyDecoded(request: DiagnosedRequest): SchemeVariant[] {
  const form = findHmacForm(request.scheme, request.secret.text);
  if (form?.decode === 'hex' || form?.decode === 'base64') return varyOtherDecoding(request);
  return (['base64', 'hex'] as const).flatMap((encoding) => {
    const sentence = `The sender decodes the secret from ${encoding} before it signs, but this scheme uses it as text: make the sender sign with the unchanged text, or describe the sender with \`signatureScheme: custom\` and \`key: ${encoding}\`.`;
    return varyKey(request, (text) => decodeAll(text, encoding)).map((one) => ({ ...one, sentence }));
  });
}

function varyOtherDecoding(request: DiagnosedRequest): SchemeVariant[] {
  const form = findHmacForm(request.scheme, request.secret.text);
  const other = form?.decode === 'hex' ? 'base64' : 'hex';
  const sentence = `The sender decodes the secret from ${other}, but this scheme decodes it from ${form?.decode}: store the same key in ${form?.decode}, or make the sender decode it in the same way.`;
  return varyKey(request, (text) => decodeAll(text, other)).map((one) => ({ ...one, sentence }));
}

function decodeAll(text: string, encoding: 'base64' | 'hex'): Buffer[] {
  const alphabet = encoding === 'hex' ? /^(?:[0-9a-fA-F]{2})+$/ : /^[A-Za-z0-9+/_-]+={0,2}$/;
  return [text, text.replace(PREFIX, '')]
    .filter((one) => alphabet.test(one))
    .map((one) => Buffer.from(one, encoding))
    .filter((bytes) => bytes.length > 0);
}

function* varyAsText(request: DiagnosedRequest): Iterable<SchemeVariant> {
  const form = findHmacForm(request.scheme, request.secret.text);
  const bare = request.secret.text.replace(PREFIX, '');
  const decodes = form !== null && form.decode !== 'text';
  if (decodes) {
    const sentence = `The sender signs with the text of the secret, but this scheme decodes it from ${form.decode} first: make the sender decode it (without its prefix), or describe the sender with \`signatureScheme: custom\` and \`key: text\`.`;
    for (const one of varyKey(request, (text) => [Buffer.from(text), Buffer.from(bare)])) yield { ...one, sentence };
  } else if (bare !== request.secret.text) {
    const sentence =
      'The sender signs with the secret without its prefix, but this scheme uses the whole secret: make the sender use the secret exactly as issued.';
    for (const one of varyKey(request, () => [Buffer.from(bare)])) yield { ...one, sentence };
  }
}

function varyEncoded(request: DiagnosedRequest): SchemeVariant[] {
  return (['base64', 'hex'] as const).flatMap((encoding) => {
    const sentence = `The sender signs with the secret encoded in ${encoding}, not with the secret itself: make the sender skip the encoding, or store the secret in the form that the sender uses.`;
    return varyKey(request, (text) => [Buffer.from(Buffer.from(text).toString(encoding))]).map((one) => ({
      ...one,
      sentence,
    }));
  });
}

/** The scheme with each key that is derived from the text of the secret; empty if the scheme uses no HMAC key. */
function varyKey(
  { scheme, secret }: DiagnosedRequest,
  make: (text: string) => Buffer[],
): Omit<SchemeVariant, 'sentence'>[] {
  const form = findHmacForm(scheme, secret.text);
  if (form === null || scheme.family !== 'signature') return [];
  return make(secret.text).map((bytes) => withKeyBytes(scheme, form, bytes));
}

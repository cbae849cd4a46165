import { readNetlifyToken } from '../special/netlify.ts';
import { readBodyHash, signsTwilioUrl, withBodyHash } from '../special/twilio.ts';
import { readJson } from '../verify/request-parts.ts';
import type { Mistake, RejectedRequest, RequestVariant } from './mistake.ts';

/** Mistakes that only one provider's own way of signing allows. Those of SNS have a table of their own. */
export const SPECIAL_MISTAKES: readonly Mistake[] = [
  { id: 'twilio_query', tried: 'the query of the URL put back', of: 'twilio', vary: varyTwilioQuery },
  { id: 'twilio_form', tried: 'the body as a form, whatever its type says', of: 'twilio', vary: varyTwilioForm },
  { id: 'twilio_body', tried: 'a signature over the URL alone', of: 'twilio', vary: varyTwilioBody },
  { id: 'netlify_algorithm', tried: 'a JWS of another algorithm', of: 'netlify', vary: varyNetlifyAlgorithm },
  { id: 'netlify_claims', tried: 'a good JWS of another issuer or body', of: 'netlify', vary: varyNetlifyClaims },
];

function* varyTwilioQuery({ scheme, publicUrl, body }: RejectedRequest): Iterable<RequestVariant> {
  if (scheme.name !== 'twilio' || publicUrl === null || readBodyHash(publicUrl) !== null) return;
  const sentence =
    'Twilio signed `bodySHA256` in the query of the URL, which did not arrive: let no proxy or redirect drop the query.';
  yield { publicUrl: withBodyHash(publicUrl, body), sentence };
}

const FORM = 'application/x-www-form-urlencoded';

function* varyTwilioForm({ scheme, headers }: RejectedRequest): Iterable<RequestVariant> {
  if (scheme.name !== 'twilio') return;
  const sentence = `The body is the form that Twilio signed, but its \`Content-Type\` does not say \`${FORM}\`: let no proxy change that header.`;
  yield { headers: { get: (name) => (name === 'content-type' ? FORM : headers.get(name)) }, sentence };
}

function* varyTwilioBody({ scheme, secret, headers, publicUrl }: RejectedRequest): Iterable<RequestVariant> {
  if (scheme.name !== 'twilio' || publicUrl === null) return;
  const presented = headers.get('x-twilio-signature') ?? '';
  if (!signsTwilioUrl(secret.text, presented, publicUrl)) return;
  const sentence =
    readBodyHash(publicUrl) === null
      ? 'Twilio signed the URL alone, so that nothing covers the body: let Twilio send JSON, which it covers by `bodySHA256` in the query.'
      : 'The URL is signed right, but the body is not the one that its `bodySHA256` stands for: let no proxy or function change the body.';
  yield { isProven: true, sentence };
}

function* varyNetlifyAlgorithm(request: RejectedRequest): Iterable<RequestVariant> {
  const token = readToken(request);
  if (token === null || token.algorithm === 'HS256') return;
  const sentence = `The JWS is signed with ${token.algorithm} where Netlify has HS256: let the sender sign with HS256.`;
  yield { isProven: true, sentence };
}

function* varyNetlifyClaims(request: RejectedRequest): Iterable<RequestVariant> {
  const token = readToken(request);
  if (token === null) return;
  const sentence =
    readJson(token.claims, ['iss']) === 'netlify'
      ? 'The JWS is good, but its `sha256` is not the hash of the body in lowercase hex: let no proxy or function change the body, and if the sender is not Netlify, let it write the hash so.'
      : 'The JWS is good, but its issuer is not `netlify`: let the sender write `"iss": "netlify"`, or describe it with `signatureScheme: custom` if it is not Netlify.';
  yield { isProven: true, sentence };
}

function readToken({ scheme, secret, headers }: RejectedRequest) {
  if (scheme.name !== 'netlify') return null;
  return readNetlifyToken(secret.text, headers.get('x-webhook-signature') ?? '');
}

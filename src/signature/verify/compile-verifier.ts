import type { Scheme, SpecialScheme } from '../scheme.ts';
import { compileNetlifyVerifier } from '../special/netlify.ts';
import { createKeyFinder, type FindSigningKey } from '../special/signing-certificates.ts';
import { compileSnsVerifier, isTopicArn } from '../special/sns.ts';
import { compileTwilioVerifier } from '../special/twilio.ts';
import { compileTokenVerifier } from '../tokens/token-verifier.ts';
import type { Verify } from '../verification.ts';
import { refuseText, type UnusableSecret } from './read-key.ts';
import { compileSignatureVerifier } from './signature-verifier.ts';

/** Makes the verifier of one webhook: the key is decoded once, here. Fails for a secret that the scheme cannot use. */
export function compileVerifier(
  scheme: Scheme,
  secretText: string,
  findKey: FindSigningKey = createKeyFinder(),
): { ok: true; verify: Verify } | UnusableSecret {
  if (scheme.family === 'signature') return compileSignatureVerifier(scheme, secretText);
  if (scheme.family === 'token') return compileTokenVerifier(scheme, secretText);
  const fault = refuseText(scheme, secretText) ?? refuseForSpecial(scheme, secretText);
  if (fault !== null) {
    return { ok: false, message: `The secret for ${scheme.title} ${fault}.`, hint: SPECIAL_HINTS[scheme.name] };
  }
  return { ok: true, verify: compileSpecial(scheme, secretText, findKey) };
}

function refuseForSpecial(scheme: SpecialScheme, secretText: string): string | null {
  return scheme.name === 'sns' && !isTopicArn(secretText) ? 'is not the ARN of a topic' : null;
}

const SPECIAL_HINTS: Readonly<Record<SpecialScheme['name'], string>> = {
  netlify: 'Paste the "JWS secret token" exactly as you entered it at Netlify.',
  sns: 'Write the ARN of the topic, for example arn:aws:sns:eu-central-1:123456789012:alarms.',
  twilio: 'Paste the auth token of the account exactly as the Twilio console shows it.',
};

function compileSpecial(scheme: SpecialScheme, secretText: string, findKey: FindSigningKey): Verify {
  if (scheme.name === 'netlify') return compileNetlifyVerifier(secretText);
  if (scheme.name === 'twilio') return compileTwilioVerifier(secretText);
  return compileSnsVerifier(secretText, findKey);
}

import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Scheme } from '../../src/definitions/signature/scheme.ts';

/** The secret of the receiver and of the sender. They are the same, except for schemes with public keys. */
export interface SchemeSecrets {
  verifying: string;
  signing: string;
}

const WHSEC = 'whsec_1MNUL8J+Daryfh2NZluOodAThg/KPACiEL8kPgWmeMU=';

/** Secrets in the format of each scheme. */
export function makeSecrets({ name }: Scheme): SchemeSecrets {
  if (name === 'standard_webhooks' || name === 'gitlab_signing') return same(WHSEC);
  if (name === 'teams') return same(WHSEC.slice('whsec_'.length));
  if (name === 'sns') return same('arn:aws:sns:eu-central-1:123456789012:alarms');
  if (name === 'discord') return pairOf(generateKeyPairSync('ed25519'), (key) => rawHex(key));
  if (name === 'sendgrid') return pairOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }), spkiBase64);
  if (name === 'travis') return pairOf(generateKeyPairSync('rsa', { modulusLength: 2048 }), spkiPem);
  return same('dock-Lm3_gangway:beacon~17');
}

function same(secret: string): SchemeSecrets {
  return { verifying: secret, signing: secret };
}

function pairOf(
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  print: (key: KeyObject) => string,
): SchemeSecrets {
  return { verifying: print(publicKey), signing: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string };
}

function rawHex(key: KeyObject): string {
  return Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url').toString('hex');
}

function spkiBase64(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('base64');
}

function spkiPem(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'spki' }) as string;
}

import type { SignatureScheme } from '../scheme.ts';
import {
  BODY,
  DEFAULT_TOLERANCE_SECONDS,
  FAMILY,
  HOUR_SECONDS,
  header,
  publicKey,
  ROW,
  retriesWithin,
  SECONDS_IN_HEADER,
  TIMESTAMP,
} from './parts.ts';

/** Schemes whose sender signs with a private key; the secret is its public key. */
export const PUBLIC_KEYS: readonly SignatureScheme[] = [
  {
    ...ROW,
    name: 'discord',
    title: 'Discord',
    event: { path: ['event', 'type'] },
    keys: [{ prefix: '', decode: 'hex', minBytes: 32, maxBytes: 32, algorithm: { kind: 'ed25519' }, label: null }],
    content: [TIMESTAMP, BODY],
    headers: [
      {
        ...FAMILY,
        name: 'discord',
        signatures: [header('X-Signature-Ed25519')],
        timestamp: 'X-Signature-Timestamp',
      },
    ],
    timestamp: { ...SECONDS_IN_HEADER, toleranceSeconds: 900, futureToleranceSeconds: DEFAULT_TOLERANCE_SECONDS },
    retries: retriesWithin(600, null),
    whenSecretIsIssued: 'app',
    documentation: 'https://docs.discord.com/developers/events/webhook-events',
  },
  {
    ...ROW,
    name: 'sendgrid',
    title: 'SendGrid (event webhook)',
    keys: [publicKey({ kind: 'ecdsa-p256' })],
    encoding: 'base64',
    content: [TIMESTAMP, BODY],
    headers: [
      {
        ...FAMILY,
        name: 'sendgrid',
        signatures: [header('X-Twilio-Email-Event-Webhook-Signature')],
        timestamp: 'X-Twilio-Email-Event-Webhook-Timestamp',
      },
    ],
    timestamp: {
      ...SECONDS_IN_HEADER,
      toleranceSeconds: 25 * HOUR_SECONDS,
      futureToleranceSeconds: DEFAULT_TOLERANCE_SECONDS,
    },
    retries: retriesWithin(
      24 * HOUR_SECONDS,
      'https://docs.sendgrid.com/for-developers/tracking-events/troubleshooting',
    ),
    whenSecretIsIssued: 'after',
    documentation:
      'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features',
  },
  {
    ...ROW,
    name: 'travis',
    title: 'Travis CI',
    keys: [publicKey({ kind: 'rsa', hash: 'sha1' })],
    encoding: 'base64',
    content: [{ part: 'form_field', name: 'payload' }],
    headers: [{ ...FAMILY, name: 'travis', signatures: [header('Signature')] }],
    whenSecretIsIssued: 'app',
    documentation: 'https://docs.travis-ci.com/user/notifications/#verifying-webhook-requests',
  },
];

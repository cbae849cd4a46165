import type { SpecialScheme } from '../scheme.ts';

const ROW = { family: 'special', rejectedSecrets: [], canGenerateSecret: false } as const;

/** Schemes that need code of their own; it is in `../special/`. */
export const SPECIALS: readonly SpecialScheme[] = [
  {
    ...ROW,
    name: 'netlify',
    title: 'Netlify',
    signature: 'X-Webhook-Signature',
    described: { digest: 'HMAC-SHA256', form: 'JWS', content: 'hash of the body', identity: null },
    whenSecretIsIssued: 'user',
    documentation: 'https://docs.netlify.com/deploy/deploy-notifications/',
  },
  {
    ...ROW,
    name: 'sns',
    title: 'Amazon SNS',
    signature: null,
    described: { digest: 'RSA', form: 'base64', content: 'fields of the body', identity: 'MessageId' },
    whenSecretIsIssued: 'app',
    documentation: 'https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html',
  },
  {
    ...ROW,
    name: 'twilio',
    title: 'Twilio',
    signature: 'X-Twilio-Signature',
    described: {
      digest: 'HMAC-SHA1',
      form: 'base64',
      content: 'url and form fields or hash of the body',
      identity: null,
    },
    whenSecretIsIssued: 'app',
    documentation: 'https://www.twilio.com/docs/usage/webhooks/webhooks-security',
  },
];

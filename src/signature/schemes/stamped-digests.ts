import type { KeyForm, SignatureScheme } from '../scheme.ts';
import {
  BODY,
  DEFAULT_TOLERANCE_SECONDS,
  FAMILY,
  header,
  IDENTITY,
  METHOD,
  PUBLIC_URL,
  ROW,
  SECONDS_IN_HEADER,
  SHA256,
  TIMESTAMP,
  text,
  textKey,
} from './parts.ts';

/**
 * The specification of Standard Webhooks requires 24 to 64 bytes, but no library enforces it and Svix's guide shows a
 * secret of 18. 16 bytes (128 bits) cannot be guessed.
 */
function standardWebhooksKey(prefix: string): KeyForm {
  return { prefix, decode: 'base64', minBytes: 16, maxBytes: 64, algorithm: SHA256, label: 'v1' };
}

const WEBHOOK_FAMILY = {
  ...FAMILY,
  name: 'webhook',
  signatures: [header('webhook-signature')],
  timestamp: 'webhook-timestamp',
  identity: header('webhook-id'),
  required: ['webhook-id'],
} as const;

const API_KEY = "an API key of the account; paste the endpoint's signing secret, which starts with `whsec_`";

/** The escapes that HubSpot decodes in the URL before it signs. */
const HUBSPOT_DECODES = ['%3A', '%2F', '%3F', '%40', '%21', '%24', '%27', '%28', '%29', '%2A', '%2C', '%3B'];

/** Schemes whose HMAC covers the body and more: a timestamp, an ID, the method, the URL. */
export const STAMPED_DIGESTS: readonly SignatureScheme[] = [
  {
    ...ROW,
    name: 'box',
    title: 'Box',
    encoding: 'base64',
    content: [BODY, TIMESTAMP],
    headers: [
      {
        ...FAMILY,
        name: 'box',
        signatures: [header('BOX-SIGNATURE-PRIMARY'), header('BOX-SIGNATURE-SECONDARY')],
        timestamp: 'BOX-DELIVERY-TIMESTAMP',
        identity: header('BOX-DELIVERY-ID'),
        fixed: [
          { name: 'BOX-SIGNATURE-VERSION', value: '1' },
          { name: 'BOX-SIGNATURE-ALGORITHM', value: 'HmacSHA256' },
        ],
      },
    ],
    timestamp: {
      from: { place: 'header' },
      unit: 'rfc3339',
      signed: true,
      toleranceSeconds: 600,
      futureToleranceSeconds: 0,
    },
    whenSecretIsIssued: 'app',
    documentation: 'https://developer.box.com/guides/webhooks/v2/signatures-v2/',
  },
  {
    ...ROW,
    name: 'buildkite',
    title: 'Buildkite',
    keys: [textKey('signature')],
    entrySeparator: ',',
    labelSeparator: '=',
    content: [TIMESTAMP, text('.'), BODY],
    headers: [{ ...FAMILY, name: 'buildkite', signatures: [header('X-Buildkite-Signature')] }],
    timestamp: {
      from: { place: 'entry', label: 'timestamp' },
      unit: 'seconds',
      signed: true,
      toleranceSeconds: DEFAULT_TOLERANCE_SECONDS,
    },
    whenSecretIsIssued: 'after',
    documentation: 'https://buildkite.com/docs/apis/webhooks/pipelines',
  },
  {
    ...ROW,
    name: 'calendly',
    title: 'Calendly',
    keys: [textKey('v1')],
    entrySeparator: ',',
    labelSeparator: '=',
    content: [TIMESTAMP, text('.'), BODY],
    headers: [{ ...FAMILY, name: 'calendly', signatures: [header('Calendly-Webhook-Signature')] }],
    timestamp: { from: { place: 'entry', label: 't' }, unit: 'seconds', signed: true, toleranceSeconds: 180 },
    whenSecretIsIssued: 'user',
    documentation: 'https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures',
  },
  {
    ...ROW,
    name: 'gitlab_signing',
    title: 'GitLab (signing token)',
    keys: [{ prefix: 'whsec_', decode: 'base64', minBytes: 32, maxBytes: 32, algorithm: SHA256, label: 'v1' }],
    entrySeparator: ' ',
    labelSeparator: ',',
    encoding: 'base64',
    content: [IDENTITY, text('.'), TIMESTAMP, text('.'), BODY],
    headers: [WEBHOOK_FAMILY],
    timestamp: SECONDS_IN_HEADER,
    whenSecretIsIssued: 'user',
    documentation: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
  },
  {
    ...ROW,
    name: 'grafana',
    title: 'Grafana',
    headers: [{ ...FAMILY, name: 'grafana', signatures: [header('X-Grafana-Alerting-Signature')] }],
    options: { header: true, timestampHeader: { content: [TIMESTAMP, text(':'), BODY], timestamp: SECONDS_IN_HEADER } },
    whenSecretIsIssued: 'user',
    documentation:
      'https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/',
  },
  {
    ...ROW,
    name: 'hubspot_v3',
    title: 'HubSpot (version 3)',
    encoding: 'base64',
    content: [METHOD, { part: 'url', decodes: HUBSPOT_DECODES }, BODY, TIMESTAMP],
    headers: [
      {
        ...FAMILY,
        name: 'hubspot_v3',
        signatures: [header('X-HubSpot-Signature-v3')],
        timestamp: 'X-HubSpot-Request-Timestamp',
      },
    ],
    timestamp: {
      from: { place: 'header' },
      unit: 'milliseconds',
      signed: true,
      toleranceSeconds: DEFAULT_TOLERANCE_SECONDS,
    },
    otherCredentialHeaders: ['X-HubSpot-Signature'],
    whenSecretIsIssued: 'app',
    documentation: 'https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests',
  },
  {
    ...ROW,
    name: 'mailgun',
    title: 'Mailgun',
    content: [TIMESTAMP, { part: 'json', path: ['signature', 'token'] }],
    headers: [
      {
        ...FAMILY,
        name: 'mailgun',
        signatures: [{ in: 'json', path: ['signature', 'signature'] }],
        // The signature does not cover the event. The token is used once, so one captured signature cannot sign others.
        identity: { in: 'json', path: ['signature', 'token'] },
      },
    ],
    timestamp: {
      from: { place: 'json', path: ['signature', 'timestamp'], type: 'string' },
      unit: 'seconds',
      signed: true,
      toleranceSeconds: DEFAULT_TOLERANCE_SECONDS,
    },
    whenSecretIsIssued: 'app',
    documentation: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks',
  },
  {
    ...ROW,
    name: 'paddle',
    title: 'Paddle',
    keys: [textKey('h1')],
    entrySeparator: ';',
    labelSeparator: '=',
    content: [TIMESTAMP, text(':'), BODY],
    headers: [{ ...FAMILY, name: 'paddle', signatures: [header('Paddle-Signature')] }],
    timestamp: { from: { place: 'entry', label: 'ts' }, unit: 'seconds', signed: true, toleranceSeconds: 5 },
    whenSecretIsIssued: 'after',
    documentation: 'https://developer.paddle.com/webhooks/about/signature-verification',
  },
  {
    ...ROW,
    name: 'slack',
    title: 'Slack',
    keys: [textKey('v0')],
    labelSeparator: '=',
    content: [text('v0:'), TIMESTAMP, text(':'), BODY],
    headers: [
      {
        ...FAMILY,
        name: 'slack',
        signatures: [header('X-Slack-Signature')],
        timestamp: 'X-Slack-Request-Timestamp',
      },
    ],
    timestamp: SECONDS_IN_HEADER,
    whenSecretIsIssued: 'app',
    documentation: 'https://docs.slack.dev/authentication/verifying-requests-from-slack',
  },
  {
    ...ROW,
    name: 'square',
    title: 'Square',
    encoding: 'base64',
    content: [PUBLIC_URL, BODY],
    headers: [{ ...FAMILY, name: 'square', signatures: [header('x-square-hmacsha256-signature')] }],
    whenSecretIsIssued: 'after',
    documentation: 'https://developer.squareup.com/docs/webhooks/step3validate',
  },
  {
    ...ROW,
    name: 'standard_webhooks',
    title: 'Standard Webhooks',
    keys: [
      { prefix: 'whpk_', decode: 'base64', minBytes: 32, maxBytes: 32, algorithm: { kind: 'ed25519' }, label: 'v1a' },
      standardWebhooksKey('whsec_'),
      standardWebhooksKey(''),
    ],
    rejectedSecrets: [
      { prefix: 'whsk_', is: "the sender's private key; paste the public key, which starts with `whpk_`" },
    ],
    entrySeparator: ' ',
    labelSeparator: ',',
    encoding: 'base64',
    content: [IDENTITY, text('.'), TIMESTAMP, text('.'), BODY],
    headers: [
      WEBHOOK_FAMILY,
      {
        ...FAMILY,
        name: 'svix',
        signatures: [header('svix-signature')],
        timestamp: 'svix-timestamp',
        identity: header('svix-id'),
        required: ['svix-id'],
      },
    ],
    timestamp: SECONDS_IN_HEADER,
    whenSecretIsIssued: 'after',
    canGenerateSecret: true,
    documentation: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  },
  {
    ...ROW,
    name: 'stripe',
    title: 'Stripe',
    // Unlike in Standard Webhooks, the key is the whole text with its `whsec_`.
    keys: [textKey('v1')],
    rejectedSecrets: [
      { prefix: 'sk_', is: API_KEY },
      { prefix: 'rk_', is: API_KEY },
      { prefix: 'pk_', is: API_KEY },
    ],
    entrySeparator: ',',
    labelSeparator: '=',
    content: [TIMESTAMP, text('.'), BODY],
    headers: [{ ...FAMILY, name: 'stripe', signatures: [header('Stripe-Signature')] }],
    timestamp: {
      from: { place: 'entry', label: 't' },
      unit: 'seconds',
      signed: true,
      toleranceSeconds: DEFAULT_TOLERANCE_SECONDS,
    },
    whenSecretIsIssued: 'after',
    documentation: 'https://docs.stripe.com/webhooks/signature',
  },
  {
    ...ROW,
    name: 'workos',
    title: 'WorkOS',
    // Like Stripe, but in milliseconds and with a space after the comma.
    keys: [textKey('v1')],
    entrySeparator: ',',
    labelSeparator: '=',
    content: [TIMESTAMP, text('.'), BODY],
    headers: [{ ...FAMILY, name: 'workos', signatures: [header('WorkOS-Signature')] }],
    timestamp: { from: { place: 'entry', label: 't' }, unit: 'milliseconds', signed: true, toleranceSeconds: 180 },
    whenSecretIsIssued: 'after',
    documentation: 'https://workos.com/docs/events/data-syncing/webhooks',
  },
  {
    ...ROW,
    name: 'zendesk',
    title: 'Zendesk',
    rejectedSecrets: [
      {
        prefix: 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==',
        is: "the published secret of Zendesk's test requests; paste the secret of your webhook",
      },
    ],
    encoding: 'base64',
    content: [TIMESTAMP, BODY],
    headers: [
      {
        ...FAMILY,
        name: 'zendesk',
        signatures: [header('X-Zendesk-Webhook-Signature')],
        timestamp: 'X-Zendesk-Webhook-Signature-Timestamp',
        identity: header('X-Zendesk-Webhook-Invocation-Id'),
      },
    ],
    timestamp: {
      from: { place: 'header' },
      unit: 'rfc3339',
      signed: true,
      toleranceSeconds: DEFAULT_TOLERANCE_SECONDS,
    },
    whenSecretIsIssued: 'after',
    documentation: 'https://developer.zendesk.com/documentation/webhooks/verifying/',
  },
  {
    ...ROW,
    name: 'zoom',
    title: 'Zoom',
    keys: [textKey('v0')],
    labelSeparator: '=',
    content: [text('v0:'), TIMESTAMP, text(':'), BODY],
    headers: [{ ...FAMILY, name: 'zoom', signatures: [header('x-zm-signature')], timestamp: 'x-zm-request-timestamp' }],
    timestamp: SECONDS_IN_HEADER,
    whenSecretIsIssued: 'app',
    documentation: 'https://developers.zoom.us/docs/api/webhooks/',
  },
];

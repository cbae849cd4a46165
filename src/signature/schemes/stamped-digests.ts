import type { KeyForm, SignatureScheme } from '../scheme.ts';
import {
  BODY,
  DEFAULT_TOLERANCE_SECONDS,
  FAMILY,
  HOUR_SECONDS,
  header,
  IDENTITY,
  METHOD,
  PUBLIC_URL,
  ROW,
  retriesAfter,
  retriesWithin,
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

/** The pages that document deliveries, for the schemes whose main page is about their signature. */
const PADDLE_DELIVERY = 'https://developer.paddle.com/webhooks/about/respond-to-webhooks';
const SLACK_EVENTS = 'https://docs.slack.dev/apis/events-api/';
const SQUARE_WEBHOOKS = 'https://developer.squareup.com/docs/webhooks-overview';
const STANDARD_WEBHOOKS = 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md';
const STRIPE_WEBHOOKS = 'https://docs.stripe.com/webhooks';
const ZOOM_DELAYS = 'https://developers.zoom.us/blog/webhook-delays/';

/** The escapes that HubSpot decodes in the URL before it signs. */
const HUBSPOT_DECODES = ['%3A', '%2F', '%3F', '%40', '%21', '%24', '%27', '%28', '%29', '%2A', '%2C', '%3B'];

/** Schemes whose HMAC covers the body and more: a timestamp, an ID, the method, the URL. */
export const STAMPED_DIGESTS: readonly SignatureScheme[] = [
  {
    ...ROW,
    name: 'box',
    title: 'Box',
    event: { path: ['trigger'] },
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
    // A retry has another `BOX-DELIVERY-ID` and the same `id`.
    eventId: { path: ['id'], source: 'https://developer.box.com/guides/webhooks/v2/' },
    whenSecretIsIssued: 'app',
    documentation: 'https://developer.box.com/guides/webhooks/v2/signatures-v2/',
  },
  {
    ...ROW,
    name: 'buildkite',
    title: 'Buildkite',
    event: { header: 'X-Buildkite-Event' },
    sendsPing: true,
    summary: '{pipeline.slug} · #{build.number} · {build.state} · {build.message}',
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
    event: { path: ['event'] },
    summary: '{payload.scheduled_event.name} · {payload.name}',
    keys: [textKey('v1')],
    entrySeparator: ',',
    labelSeparator: '=',
    content: [TIMESTAMP, text('.'), BODY],
    headers: [{ ...FAMILY, name: 'calendly', signatures: [header('Calendly-Webhook-Signature')] }],
    timestamp: {
      from: { place: 'entry', label: 't' },
      unit: 'seconds',
      signed: true,
      toleranceSeconds: 25 * HOUR_SECONDS,
      futureToleranceSeconds: 180,
    },
    retries: retriesWithin(
      24 * HOUR_SECONDS,
      'https://community.calendly.com/developer-faq-62/why-am-i-not-receiving-webhook-data-how-does-a-webhook-become-disabled-548',
    ),
    whenSecretIsIssued: 'user',
    documentation: 'https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures',
  },
  {
    ...ROW,
    name: 'gitlab_signing',
    title: 'GitLab (signing token)',
    event: { header: 'X-Gitlab-Event' },
    summary:
      '{project.path_with_namespace} · {object_attributes.iid} · {object_attributes.title|object_attributes.note|object_attributes.detailed_status|ref} · {user_username|user.username}',
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
    event: { path: ['status'] },
    summary: '{title|commonLabels.alertname}',
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
      toleranceSeconds: 25 * HOUR_SECONDS,
      futureToleranceSeconds: DEFAULT_TOLERANCE_SECONDS,
    },
    otherCredentialHeaders: ['X-HubSpot-Signature'],
    retries: retriesWithin(24 * HOUR_SECONDS, 'https://developers.hubspot.com/docs/api/webhooks'),
    whenSecretIsIssued: 'app',
    documentation: 'https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests',
  },
  {
    ...ROW,
    name: 'mailgun',
    title: 'Mailgun',
    event: { path: ['event-data', 'event'] },
    summary: '{event-data.recipient} · {event-data.message.headers.subject|event-data.reason}',
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
      toleranceSeconds: 8.5 * HOUR_SECONDS,
      futureToleranceSeconds: DEFAULT_TOLERANCE_SECONDS,
    },
    retries: retriesAfter(
      [300, 600, 900, HOUR_SECONDS, 2 * HOUR_SECONDS, 4 * HOUR_SECONDS],
      'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-retries',
    ),
    whenSecretIsIssued: 'app',
    documentation: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks',
  },
  {
    ...ROW,
    name: 'paddle',
    title: 'Paddle',
    event: { path: ['event_type'] },
    summary: '{data.id} · {data.status}',
    keys: [textKey('h1')],
    entrySeparator: ';',
    labelSeparator: '=',
    content: [TIMESTAMP, text(':'), BODY],
    headers: [{ ...FAMILY, name: 'paddle', signatures: [header('Paddle-Signature')] }],
    timestamp: {
      from: { place: 'entry', label: 'ts' },
      unit: 'seconds',
      signed: true,
      toleranceSeconds: 73 * HOUR_SECONDS,
      futureToleranceSeconds: 5,
    },
    retries: retriesWithin(72 * HOUR_SECONDS, PADDLE_DELIVERY),
    eventId: { path: ['event_id'], source: PADDLE_DELIVERY },
    success: { status: 200, body: null, source: PADDLE_DELIVERY },
    whenSecretIsIssued: 'after',
    documentation: 'https://developer.paddle.com/webhooks/about/signature-verification',
  },
  {
    ...ROW,
    name: 'slack',
    title: 'Slack',
    event: { path: ['event', 'type'] },
    summary: '{team_id} · {event.channel} · {event.user}',
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
    timestamp: { ...SECONDS_IN_HEADER, toleranceSeconds: 600, futureToleranceSeconds: DEFAULT_TOLERANCE_SECONDS },
    retries: retriesAfter([0, 60, 300], SLACK_EVENTS),
    eventId: { path: ['event_id'], source: SLACK_EVENTS },
    whenSecretIsIssued: 'app',
    documentation: 'https://docs.slack.dev/authentication/verifying-requests-from-slack',
  },
  {
    ...ROW,
    name: 'square',
    title: 'Square',
    event: { path: ['type'] },
    summary: '{data.type} · {data.id}',
    encoding: 'base64',
    content: [PUBLIC_URL, BODY],
    headers: [{ ...FAMILY, name: 'square', signatures: [header('x-square-hmacsha256-signature')] }],
    retries: retriesWithin(24 * HOUR_SECONDS, SQUARE_WEBHOOKS),
    eventId: { path: ['event_id'], source: SQUARE_WEBHOOKS },
    whenSecretIsIssued: 'after',
    documentation: 'https://developer.squareup.com/docs/webhooks/step3validate',
  },
  {
    ...ROW,
    name: 'standard_webhooks',
    title: 'Standard Webhooks',
    event: { path: ['type'] },
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
    retries: { timestamp: 'renewed', plan: null, sources: [STANDARD_WEBHOOKS] },
    whenSecretIsIssued: 'after',
    canGenerateSecret: true,
    documentation: STANDARD_WEBHOOKS,
  },
  {
    ...ROW,
    name: 'stripe',
    title: 'Stripe',
    event: { path: ['type'] },
    summary: '{data.object.object} · {data.object.id} · {data.object.status}',
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
    retries: { timestamp: 'renewed', plan: { withinSeconds: 72 * HOUR_SECONDS }, sources: [STRIPE_WEBHOOKS] },
    eventId: { path: ['id'], source: STRIPE_WEBHOOKS },
    whenSecretIsIssued: 'after',
    documentation: 'https://docs.stripe.com/webhooks/signature',
  },
  {
    ...ROW,
    name: 'workos',
    title: 'WorkOS',
    event: { path: ['event'] },
    // Like Stripe, but in milliseconds and with a space after the comma.
    keys: [textKey('v1')],
    entrySeparator: ',',
    labelSeparator: '=',
    content: [TIMESTAMP, text('.'), BODY],
    headers: [{ ...FAMILY, name: 'workos', signatures: [header('WorkOS-Signature')] }],
    timestamp: {
      from: { place: 'entry', label: 't' },
      unit: 'milliseconds',
      signed: true,
      toleranceSeconds: 73 * HOUR_SECONDS,
      futureToleranceSeconds: 180,
    },
    retries: retriesWithin(72 * HOUR_SECONDS, 'https://workos.com/docs/webhooks'),
    eventId: { path: ['id'], source: 'https://workos.com/docs/events/data-syncing/webhooks' },
    whenSecretIsIssued: 'after',
    documentation: 'https://workos.com/docs/events/data-syncing/webhooks',
  },
  {
    ...ROW,
    name: 'zendesk',
    title: 'Zendesk',
    event: { path: ['type'] },
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
    event: { path: ['event'] },
    keys: [textKey('v0')],
    labelSeparator: '=',
    content: [text('v0:'), TIMESTAMP, text(':'), BODY],
    headers: [{ ...FAMILY, name: 'zoom', signatures: [header('x-zm-signature')], timestamp: 'x-zm-request-timestamp' }],
    timestamp: {
      ...SECONDS_IN_HEADER,
      toleranceSeconds: 1.5 * HOUR_SECONDS,
      futureToleranceSeconds: DEFAULT_TOLERANCE_SECONDS,
    },
    retries: retriesAfter([300, 1200, HOUR_SECONDS], ZOOM_DELAYS),
    success: { status: 200, body: null, source: ZOOM_DELAYS },
    whenSecretIsIssued: 'app',
    documentation: 'https://developers.zoom.us/docs/api/webhooks/',
  },
];

import { SECRET_NAME_PATTERN, WEBHOOK_NAME_PATTERN } from '../../words/names.ts';
import type { WebhookUid } from '../ids.ts';
import { defineFields, type KeysWith, type RecordOf, type RecordWith } from './fields.ts';
import {
  flag,
  id,
  instant,
  instantOrNull,
  integer,
  integerOrNull,
  objectOrNull,
  oneOf,
  text,
  textOrNull,
} from './value-types.ts';

/** How senders of a webhook authenticate (specification, "Authentication"). */
export const AUTH_MODES = ['token', 'url_token', 'signature'] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

const shortTextOrNull = { type: ['string', 'null'], maxLength: 1000 };

/** The fields of a webhook. */
export const WEBHOOK_FIELDS = defineFields({
  /** Short number of the row, for the tables of the hot path. */
  ref: { type: integer, generated: true, api: null },
  uid: { type: id<WebhookUid>(), tagged: true },
  factory: { type: text },
  /** The file name without `.yaml`. */
  name: {
    type: text,
    description:
      'Unique in the factory, and part of the file name. Only live factories can change it; UID and URL stay.',
    editable: 'create and change',
    request: { type: 'string', pattern: WEBHOOK_NAME_PATTERN.source },
    tagged: true,
    audited: true,
  },
  description: {
    type: textOrNull,
    declared: { default: null },
    editable: 'create and change',
    request: shortTextOrNull,
    planned: true,
    tagged: true,
    audited: true,
  },
  authMode: {
    type: oneOf(AUTH_MODES),
    description: 'How senders authenticate. The default is `token`.',
    declared: { default: 'token', alwaysWritten: true },
    editable: 'create',
    planned: true,
    tagged: true,
    audited: true,
  },
  /** A row of the table of schemes, or `custom`. */
  signatureScheme: {
    type: textOrNull,
    description: 'Signature scheme of the provider, or `custom`; `null` unless `auth_mode` is `signature`.',
    declared: { default: null },
    editable: 'create',
    request: shortTextOrNull,
    planned: true,
    tagged: true,
    audited: true,
  },
  /** A custom scheme, or what a preset leaves to its users. */
  signature: {
    type: objectOrNull,
    description: 'The `signature` block of the definition as written; `null` if it has none.',
    declared: { default: null },
    editable: 'create',
    planned: true,
    tagged: true,
  },
  /** The team secret that holds the credential. */
  secretName: {
    type: text,
    description: 'Name of the secret that holds the credential.',
    declared: {},
    editable: 'create and change',
    request: { type: 'string', pattern: SECRET_NAME_PATTERN.source },
    planned: true,
    tagged: true,
    audited: true,
  },
  /** The version of the secret that the last apply resolved and that authenticates until the next. */
  secretVersion: { type: integer, api: null, planned: true, tagged: true },
  /** The team secret that a GET handshake must present. */
  verifyTokenSecretName: {
    type: textOrNull,
    description: 'Name of the secret that a GET handshake must present; `null` if the webhook answers none.',
    declared: { default: null },
    editable: 'create and change',
    request: { type: ['string', 'null'], pattern: SECRET_NAME_PATTERN.source },
    planned: true,
    tagged: true,
    audited: true,
  },
  /** Like `secretVersion`; `null` without a verify token. */
  verifyTokenSecretVersion: { type: integerOrNull, api: null, planned: true, tagged: true },
  deliveryIdHeader: {
    type: textOrNull,
    description: 'Header in which the sender puts its own event ID; `null` if none is named.',
    declared: { default: null },
    editable: 'create and change',
    request: shortTextOrNull,
    planned: true,
    tagged: true,
    audited: true,
  },
  enabled: {
    type: flag,
    declared: { default: true },
    editable: 'create and change',
    planned: true,
    tagged: true,
    audited: true,
  },
  /** Path relative to the root of the repository. */
  file: { type: text, api: null },
  /** `null` for definitions that live in no repository. */
  revision: { type: textOrNull, description: 'Commit of the last apply that changed this webhook.' },
  createdAt: { type: instant },
  updatedAt: { type: instant },
  deletedAt: { type: instantOrNull, description: '`null` while the webhook exists.', tagged: true },
});

/** A webhook as the last apply left it. A deleted one stays: a file that comes back gets the same UID. */
export interface AppliedWebhook extends RecordOf<typeof WEBHOOK_FIELDS> {}

/** The keys of a webhook's file. */
export type DeclaredWebhookKey = KeysWith<typeof WEBHOOK_FIELDS, 'declared'>;

/** What a webhook's file declares, defaults filled in. */
export interface DeclaredWebhook extends RecordWith<typeof WEBHOOK_FIELDS, 'declared'> {}

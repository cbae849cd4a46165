import type { WebhookUid } from '../ids.ts';
import { PROVIDER_TITLES, SECRET_NAME_PATTERN, WEBHOOK_NAME_PATTERN } from '../words/names.ts';
import { PERIOD_PATTERN, ROTATION_OVERLAP_PATTERN } from '../words/quantities.ts';
import { defineFields, type RecordOf, type RecordWith } from './fields.ts';
import { MAX_NAME_CHARACTERS, MAX_NAMES, NAMES_KEYS, namesOrNull } from './provider-names.ts';
import {
  flag,
  id,
  instant,
  instantOrNull,
  integer,
  integerOrNull,
  json,
  nullable,
  objectOrNull,
  oneOf,
  text,
  textOrNull,
} from './value-types.ts';

/** How senders of a webhook authenticate (specification, "Authentication"). */
export const AUTH_MODES = ['token', 'url_token', 'signature'] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

/** What senders of a webhook post. */
const BODY_FORMATS = ['json', 'form'] as const;
export type BodyFormat = (typeof BODY_FORMATS)[number];

const shortTextOrNull = { type: ['string', 'null'], maxLength: 1000 };

const HEADER_NAME_SCHEMA = {
  pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
  patternErrorMessage: "a valid HTTP field name: letters, digits and ! # $ % & ' * + - . ^ _ ` | ~",
};

/** A path of the payload, as `readPayloadPath` reads it. */
const PAYLOAD_PATH_SCHEMA = {
  pattern: '^[^.]{1,100}(\\.[^.]{1,100}){0,9}$',
  patternErrorMessage: 'at most 10 keys, separated by dots, such as data.type',
};

const FORM_FIELD_SCHEMA = {
  pattern: '^[^\\u0000-\\u001f\\u007f]{1,100}$',
  patternErrorMessage: '1 to 100 characters without control characters',
};

/** The keys of a path in a definition file, from the root of the payload. */
export function readPayloadPath(path: string): readonly string[] {
  return path.split('.');
}

/** Where the sender of a webhook writes the name of an event, in a definition file. */
export type DeclaredEvent = {
  header?: string;
  /** Names of object keys from the root of the body, separated by dots. */
  path?: string;
};

const EVENT_KEYS = {
  header: {
    type: 'string',
    title: 'Header',
    description: 'Name of the request header, in any letter case.',
    examples: ['X-Event'],
    ...HEADER_NAME_SCHEMA,
  },
  path: {
    type: 'string',
    title: 'Path',
    description: 'Keys from the root of the payload, separated by dots.',
    examples: ['kind', 'data.type'],
    ...PAYLOAD_PATH_SCHEMA,
  },
};

/** In the API. What is wrong with a name is reported with the definition. */
const eventOrNull = json<DeclaredEvent | null>({
  type: ['object', 'null'],
  properties: { header: { type: 'string', maxLength: 1000 }, path: { type: 'string', maxLength: 1000 } },
  additionalProperties: false,
});

/** What a webhook can serve: the providers of triggers by their names in definitions, or none of them. */
export const SERVES = [...(Object.keys(PROVIDER_TITLES) as (keyof typeof PROVIDER_TITLES)[]), 'none'] as const;
export type Serves = (typeof SERVES)[number];

const MAX_IGNORED_ACTORS = 200;

const actors = json<string[]>({
  type: 'array',
  items: { type: 'string', maxLength: 1000 },
  maxItems: MAX_IGNORED_ACTORS,
});

const MAX_RECORDED = 20;

const headerNames = json<string[]>({
  type: 'array',
  items: { type: 'string', maxLength: 1000 },
  maxItems: MAX_RECORDED,
});

/** The fields of a webhook. */
export const WEBHOOK_FIELDS = defineFields({
  /** Short number of the row, for the tables of deliveries. */
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
    declared: {
      default: null,
      schema: {
        title: 'Description',
        description: 'Description for users, shown in lists.',
        examples: ['Builds of the internal CI server'],
      },
    },
    editable: 'create and change',
    option: { flags: '--description <text>', help: 'description for people' },
    request: shortTextOrNull,
    planned: true,
    tagged: true,
    audited: true,
  },
  authMode: {
    type: oneOf(AUTH_MODES),
    description: 'How senders authenticate. The default is `token`.',
    declared: {
      default: 'token',
      alwaysWritten: true,
      schema: {
        title: 'Authentication mode',
        description:
          "How senders authenticate. token: a bearer token in the Authorization header. url_token: the secret is a segment of the URL. signature: the sender signs each request with a provider's scheme.",
        examples: ['token', 'url_token', 'signature'],
      },
    },
    editable: 'create',
    option: { flags: '--auth-mode <mode>', help: 'how senders authenticate (default: token)' },
    planned: true,
    tagged: true,
    audited: true,
  },
  /** A row of the table of schemes, or `custom`. */
  signatureScheme: {
    type: textOrNull,
    description: 'Signature scheme of the provider, or `custom`; `null` unless `auth_mode` is `signature`.',
    declared: {
      default: null,
      schema: {
        title: 'Signature scheme',
        description:
          'Scheme of the provider, or custom for any other sender. Required if authMode is signature, not allowed otherwise.',
        examples: ['github', 'standard_webhooks'],
      },
    },
    editable: 'create',
    option: { flags: '--scheme <name>', help: 'signature scheme of the provider, for the mode signature' },
    request: shortTextOrNull,
    planned: true,
    tagged: true,
    audited: true,
  },
  /** A custom scheme, or the settings that a preset requires. */
  signature: {
    type: objectOrNull,
    description: 'The `signature` block of the definition as written; `null` if it has none.',
    declared: {
      default: null,
      schema: {
        title: 'Signature',
        description:
          'How the sender signs requests. Required with signatureScheme custom. With grafana, it sets the configurable headers (header and timestamp.header).',
        examples: [
          {
            header: 'X-Signature',
            label: 'sha256',
            content: '{timestamp}.{body}',
            timestamp: { header: 'X-Timestamp' },
            idHeader: 'X-Event-Id',
          },
        ],
      },
    },
    editable: 'create',
    option: { flags: '--signature <json>', help: 'how the sender signs, as JSON or @FILE, for the scheme custom' },
    planned: true,
    tagged: true,
  },
  /** The team secret that holds the credential. */
  secretName: {
    type: text,
    description: 'Name of the secret that holds the credential.',
    declared: {
      schema: {
        title: 'Secret name',
        description:
          "Name of the existing team secret with the credential: the bearer token, the URL token or the provider's signing secret. Never write the value into a file.",
        pattern: SECRET_NAME_PATTERN.source,
        patternErrorMessage: 'a letter or _, then at most 127 letters, digits or _',
        examples: ['INTERNAL_CI_WEBHOOK_SECRET'],
      },
    },
    editable: 'create and change',
    option: { flags: '--secret-name <name>', help: 'team secret to use or to create (default: a suggested name)' },
    request: { type: 'string', pattern: SECRET_NAME_PATTERN.source },
    planned: true,
    tagged: true,
    audited: true,
  },
  /** The version of the secret that the last apply pinned and that authenticates requests until the next apply. */
  secretVersion: { type: integer, api: null, planned: true, tagged: true },
  /** The version of the same secret that the webhook checked before; `null` if there is none. */
  previousSecretVersion: { type: integerOrNull, api: null },
  secretPinnedAt: {
    type: instantOrNull,
    description: 'When an apply made the webhook check its version of the secret; `null` if it is not known.',
  },
  rotationOverlap: {
    type: text,
    description:
      'How long the previous version of the secret is accepted after an apply, such as `1h`. The default is `0s`.',
    declared: {
      default: '0s',
      schema: {
        title: 'Rotation overlap',
        description:
          'How long the previous version of the secret is accepted after an apply, at most 7 days. The default 0s rejects it immediately. Set 0s again to end an overlap early.',
        pattern: ROTATION_OVERLAP_PATTERN,
        patternErrorMessage: 'a duration of at most 7 days, such as 0s, 30m, 1h or 2d',
        examples: ['0s', '1h'],
      },
    },
    editable: 'create and change',
    option: {
      flags: '--rotation-overlap <duration>',
      help: 'how long the previous version of the secret is accepted after an apply (default: 0s)',
    },
    request: { type: 'string', pattern: ROTATION_OVERLAP_PATTERN },
    planned: true,
    tagged: true,
    audited: true,
  },
  /** The team secret that a GET handshake must present. */
  verifyTokenSecretName: {
    type: textOrNull,
    description: 'Name of the secret that a GET handshake must present; `null` if the webhook answers none.',
    declared: {
      default: null,
      schema: {
        title: 'Verify token',
        description:
          'Name of the existing team secret with the verify token that the provider sends when it verifies the URL with a GET request. Only for signatureScheme meta, and for Strava with authMode url_token. If omitted, the response to such a request is 405.',
        pattern: SECRET_NAME_PATTERN.source,
        patternErrorMessage: 'a letter or _, then at most 127 letters, digits or _',
        examples: ['META_VERIFY_TOKEN'],
      },
    },
    editable: 'create and change',
    option: {
      flags: '--verify-token-secret-name <name>',
      help: 'team secret with the verify token that Meta and Strava send',
    },
    request: { type: ['string', 'null'], pattern: SECRET_NAME_PATTERN.source },
    planned: true,
    tagged: true,
    audited: true,
  },
  /** Like `secretVersion`; `null` without a verify token. */
  verifyTokenSecretVersion: { type: integerOrNull, api: null, planned: true, tagged: true },
  bodyFormat: {
    type: oneOf(BODY_FORMATS),
    description: 'What senders post. With `form`, the payload is the JSON of the form. The default is `json`.',
    declared: {
      default: 'json',
      schema: {
        title: 'Body format',
        description:
          'What senders post. json: JSON. form: application/x-www-form-urlencoded, whose fields become a JSON object; JSON in the only field payload becomes the payload.',
        examples: ['json', 'form'],
      },
    },
    editable: 'create and change',
    option: { flags: '--body-format <format>', help: 'what senders post (default: json)' },
    planned: true,
    tagged: true,
    audited: true,
  },
  formField: {
    type: textOrNull,
    description:
      'Field of the form whose JSON is the payload; `null` for `payload`, if it is the only field, or all fields.',
    declared: {
      default: null,
      schema: {
        title: 'Form field',
        description:
          'Field of the form that contains JSON. The JSON becomes the payload, and other fields are not used. Only with bodyFormat form. Without it, JSON in the only field payload becomes the payload.',
        ...FORM_FIELD_SCHEMA,
        examples: ['mandrill_events', 'payload'],
      },
    },
    editable: 'create and change',
    option: { flags: '--form-field <name>', help: 'field of the form whose JSON is the payload' },
    request: { type: ['string', 'null'], pattern: FORM_FIELD_SCHEMA.pattern },
    planned: true,
    tagged: true,
    audited: true,
  },
  deliveryIdHeader: {
    type: textOrNull,
    description: 'Header in which the sender puts its own event ID; `null` if none is named.',
    declared: {
      default: null,
      schema: {
        title: 'Delivery ID header',
        description:
          'Request header with the event ID of the sender. Two requests with the same ID are one delivery. Headers that carry a credential or a signature are rejected.',
        ...HEADER_NAME_SCHEMA,
        examples: ['X-Event-Id', 'X-Request-Id'],
      },
    },
    editable: 'create and change',
    option: { flags: '--delivery-id-header <name>', help: 'header in which the sender puts its own event ID' },
    request: shortTextOrNull,
    planned: true,
    tagged: true,
    audited: true,
  },
  deliveryIdPath: {
    type: textOrNull,
    description: 'Path of the payload at which the sender writes its own event ID; `null` if none is named.',
    declared: {
      default: null,
      schema: {
        title: 'Delivery ID path',
        description:
          'Keys from the root of the payload to the event ID of the sender, separated by dots. Two requests with the same ID are one delivery. Not allowed together with deliveryIdHeader.',
        ...PAYLOAD_PATH_SCHEMA,
        examples: ['id', 'event.id'],
      },
    },
    editable: 'create and change',
    option: { flags: '--delivery-id-path <path>', help: 'path of the payload at which the sender writes its event ID' },
    request: shortTextOrNull,
    planned: true,
    tagged: true,
    audited: true,
  },
  deduplicate: {
    type: flag,
    description: 'Whether a delivery with the identity of an earlier one is a duplicate. The default is `true`.',
    declared: {
      default: true,
      schema: {
        title: 'Deduplicate',
        description:
          'Whether a delivery with the identity of an earlier one is a duplicate that starts nothing. false: every delivery is new, also one that the sender repeats because it got no answer.',
        examples: [true, false],
      },
    },
    editable: 'create and change',
    option: { flags: '--no-deduplicate', help: 'every delivery is new, also one with a repeated ID or body' },
    planned: true,
    tagged: true,
    audited: true,
  },
  event: {
    type: eventOrNull,
    description: 'Where the sender writes the name of the event; `null` for the places of the scheme.',
    declared: {
      default: null,
      schema: {
        title: 'Event name',
        description:
          'Where the sender writes the name of the event: in a header, at a path of the payload, or in both, which a dot joins. The default is where the scheme of the provider has it.',
        examples: [{ header: 'X-Event', path: 'kind' }, { path: 'data.type' }],
        properties: EVENT_KEYS,
        additionalProperties: false,
        minProperties: 1,
      },
    },
    editable: 'create and change',
    option: { flags: '--event <json>', help: 'where the name of the event is, such as {"header": "X-Event"}' },
    planned: true,
    tagged: true,
    audited: true,
  },
  recordHeaders: {
    type: headerNames,
    description: 'Further request headers that are stored with each delivery.',
    declared: {
      default: [],
      schema: {
        title: 'Recorded headers',
        description:
          'Further request headers to store with each delivery, in addition to User-Agent, Content-Type, the headers of the scheme, and those that filters test. Headers that carry a credential or a signature are rejected.',
        examples: [['X-Request-Source']],
        items: {
          type: 'string',
          title: 'Header',
          description: 'Name of the request header, in any letter case.',
          examples: ['X-Request-Source'],
          ...HEADER_NAME_SCHEMA,
        },
        maxItems: MAX_RECORDED,
      },
    },
    editable: 'create and change',
    option: { flags: '--record-headers <names...>', help: 'further request headers to store' },
    planned: true,
    tagged: true,
    audited: true,
  },
  serves: {
    type: nullable(oneOf(SERVES)),
    description:
      'Provider whose triggers the webhook serves, or `none`; `null` for the provider of the signature scheme.',
    declared: {
      default: null,
      schema: {
        title: 'Served provider',
        description:
          'Provider whose triggers the webhook serves, in all automations of the factory. The default is the provider of the signatureScheme. none: no provider. Set it if the webhook has another authentication mode, for example behind a relay that signs again.',
        examples: ['github', 'azure_devops', 'none'],
      },
    },
    editable: 'create and change',
    option: {
      flags: '--serves <provider>',
      help: 'provider whose triggers the webhook serves (default: of the scheme)',
    },
    planned: true,
    tagged: true,
    audited: true,
  },
  names: {
    type: namesOrNull,
    description: 'Names that filters of provider triggers use, and the IDs in payloads; `null` if there are none.',
    declared: {
      default: null,
      schema: {
        title: 'Names',
        description: `Names that filters of provider triggers use, and the IDs that payloads have instead. At most ${MAX_NAMES} of each kind. A # or @ in front of a name is ignored.`,
        examples: [{ channels: { triage: 'C0123456789' }, users: { ann: 'U0456789012' } }],
        properties: NAMES_KEYS,
        additionalProperties: false,
      },
    },
    editable: 'create and change',
    option: {
      flags: '--names <json>',
      help: 'IDs of names in filters, such as {"channels": {"triage": "C0123456789"}}',
    },
    planned: true,
    tagged: true,
    audited: true,
  },
  botUsername: {
    type: textOrNull,
    description: 'GitLab: username whose mention starts `bot_mentioned`; `null` if none is set.',
    declared: {
      default: null,
      schema: {
        title: 'Bot username',
        description:
          'GitLab: username whose mention the event bot_mentioned stands for. An @ in front of it is ignored. Events of this account start nothing.',
        pattern: '^\\s*@?[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}\\s*$',
        patternErrorMessage: 'a username of GitLab: letters, digits, ., _ and -',
        examples: ['factory-bot'],
      },
    },
    editable: 'create and change',
    option: { flags: '--bot-username <name>', help: 'GitLab username whose mention starts bot_mentioned' },
    request: shortTextOrNull,
    planned: true,
    tagged: true,
    audited: true,
  },
  ignoreActors: {
    type: actors,
    description: 'Accounts at the provider whose events start nothing.',
    declared: {
      default: [],
      schema: {
        title: 'Ignored actors',
        description: `Accounts at the provider whose events start nothing: usernames, user IDs or bot IDs, in any letter case. At most ${MAX_IGNORED_ACTORS}. List the accounts that your agents use. An @ in front of a name is ignored.`,
        examples: [['factory-bot[bot]']],
        items: {
          type: 'string',
          title: 'Actor',
          description: 'Username, user ID or bot ID.',
          pattern: `^\\s*@?[^\\s@].{0,${MAX_NAME_CHARACTERS - 1}}$`,
          patternErrorMessage: `a username or an ID of at most ${MAX_NAME_CHARACTERS} characters`,
          examples: ['factory-bot[bot]'],
        },
        maxItems: MAX_IGNORED_ACTORS,
      },
    },
    editable: 'create and change',
    option: { flags: '--ignore-actors <names...>', help: 'accounts at the provider whose events start nothing' },
    planned: true,
    tagged: true,
    audited: true,
  },
  expectEvery: {
    type: textOrNull,
    description: 'An alert opens if no delivery was accepted for this time, such as `24h`; `null` if none is expected.',
    declared: {
      default: null,
      schema: {
        title: 'Expected interval',
        description:
          'Longest time between two deliveries, from 1s to 31d. If no delivery was accepted for this time, the alert silent opens. If omitted, none is expected.',
        pattern: PERIOD_PATTERN,
        patternErrorMessage: 'a duration from 1s to 31d, such as 30m, 24h or 7d',
        examples: ['24h', '7d'],
      },
    },
    editable: 'create and change',
    option: {
      flags: '--expect-every <duration>',
      help: 'alert when no delivery was accepted for this time',
    },
    request: { type: ['string', 'null'], pattern: PERIOD_PATTERN },
    planned: true,
    tagged: true,
    audited: true,
  },
  enabled: {
    type: flag,
    declared: {
      default: true,
      schema: {
        title: 'Enabled',
        description: 'Whether the webhook accepts deliveries. Senders to a disabled webhook get 404.',
        examples: [true, false],
      },
    },
    editable: 'create and change',
    option: { flags: '--disabled', help: 'create the webhook disabled: it takes no deliveries yet', sets: false },
    planned: true,
    tagged: true,
    audited: true,
  },
  /** Path relative to the root of the repository. */
  file: { type: text, api: null },
  /** `null` for definitions without a repository. */
  revision: { type: textOrNull, description: 'Commit of the last apply that changed or deleted this webhook.' },
  createdAt: { type: instant },
  updatedAt: { type: instant },
  deletedAt: { type: instantOrNull, description: '`null` while the webhook exists.', tagged: true },
});

/** A webhook after the last apply. A deleted webhook stays, so that a restored file gets the same UID. */
export interface AppliedWebhook extends RecordOf<typeof WEBHOOK_FIELDS> {}

/** A webhook as its file declares it, with defaults. */
export interface DeclaredWebhook extends RecordWith<typeof WEBHOOK_FIELDS, 'declared'> {}

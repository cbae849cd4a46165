import { IDENTITY_KINDS, ROLES, TOKEN_ROLES } from '../../domain/access/access.ts';
import { AUDIT_ACTOR_KINDS, AUDIT_OUTCOMES } from '../../domain/access/audit.ts';
import { HANDSHAKE_OUTCOMES } from '../../domain/deliveries/handshake.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { ALERT_STATES } from '../../domain/messages/alert.ts';
import { ALERT_RULE_NAMES } from '../../domain/messages/alert-rules.ts';
import { NOTICE_STATES } from '../../domain/messages/notice.ts';
import { SECRET_STATES } from '../../domain/ports/inventory.ts';
import { BACKUP_PHASES, FINDING_SEVERITIES } from '../../domain/ports/operations.ts';
import { DRAIN_PHASES } from '../../domain/ports/pauses.ts';
import { WAIT_REASONS } from '../../domain/ports/run-control.ts';
import { MAX_EXAMINED_QUEUE, MAX_QUEUE_POSITION } from '../../domain/ports/run-queue.ts';
import { CONNECT_PROVIDERS, CONNECTION_FIELDS, CONNECTION_STATES } from '../../domain/ports/webhook-connector.ts';
import { AUTOMATION_FIELDS } from '../../domain/resources/automation.ts';
import { DELIVERY_FIELDS, DELIVERY_LABELS } from '../../domain/resources/delivery.ts';
import { answerProperties } from '../../domain/resources/fields.ts';
import { REPLAY_FIELDS } from '../../domain/resources/replay.ts';
import { ATTEMPT_FIELDS, RUN_FIELDS, RUN_STATES } from '../../domain/resources/run.ts';
import { SECRET_FIELDS } from '../../domain/resources/secret.ts';
import { WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import { CONTEXT_FIELDS } from '../../domain/runs/run-context.ts';
import { RECENT_RUNS } from '../../domain/runs/run-results.ts';
import { REPLAY_SKIPS } from '../../domain/words/deliveries.ts';
import { RETRY_REJECTIONS, RUN_REASONS } from '../../domain/words/runs.ts';
import { STEP_OUTCOMES, SUBJECT_KINDS } from '../../operations/story/story.ts';

/** An object with exactly these properties, all of them present. */
export function closedObject(properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', required: Object.keys(properties), additionalProperties: false, properties, ...more };
}

/** A closed object with more properties, which answers may omit. */
function withOptional(closed: JsonSchema, optional: Record<string, JsonSchema>): JsonSchema {
  return { ...closed, properties: { ...(closed.properties as Record<string, JsonSchema>), ...optional } };
}

/** Points to one of `COMPONENTS`. */
export function refTo(component: keyof typeof COMPONENTS): JsonSchema {
  return { $ref: `${component}#` };
}

const nextCursor: JsonSchema = {
  type: ['string', 'null'],
  description: 'Pass it back as `cursor`; `null` at the end.',
};

/** A page of a list. */
export function listOf(component: keyof typeof COMPONENTS): JsonSchema {
  const data = { type: 'array', items: refTo(component) };
  return closedObject({ data, next_cursor: nextCursor }, { description: 'One page of the list.' });
}

const text: JsonSchema = { type: 'string' };
const textOrNull: JsonSchema = { type: ['string', 'null'] };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const flag: JsonSchema = { type: 'boolean' };
const texts: JsonSchema = { type: 'array', items: text };
const instant: JsonSchema = { type: 'string', format: 'date-time' };
const instantOrNull: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
const anyJson: JsonSchema = { description: 'Any JSON value.' };
const file: JsonSchema = { type: ['string', 'null'], description: '`null` for a live factory, which has no files.' };

function oneOf(values: readonly string[], description?: string): JsonSchema {
  return { type: 'string', enum: [...values], ...(description === undefined ? {} : { description }) };
}

const diagnostic = closedObject({
  severity: oneOf(['error', 'warning']),
  rule: text,
  file: text,
  line: { type: 'integer' },
  column: { type: 'integer' },
  path: text,
  message: text,
  hint: text,
});

const contextValues = Object.fromEntries(
  Object.entries(CONTEXT_FIELDS).map(([name, { description }]) => [
    name,
    { type: name === 'number' ? ['string', 'number'] : 'string', description },
  ]),
);

const leaseTerm = {
  lease_seconds: {
    type: 'number',
    minimum: 0,
    description: 'The run is lost if no heartbeat arrives within this time.',
  },
  lease_expires_at: { ...instant, description: 'The end of the lease by the clock of the daemon.' },
} as const satisfies Record<string, JsonSchema>;

const reasonText = { ...text, description: 'The reason as a sentence. `message` has the details.' };

const condition = closedObject({
  type: text,
  status: oneOf(['True', 'False', 'Unknown']),
  severity: {
    ...oneOf(['ok', 'warning', 'error']),
    description:
      'What the condition means. `NoExecutor` with status `True`, for example, is a warning: do not show it as success.',
  },
  reason: text,
  reason_text: reasonText,
  message: text,
  since: instant,
});

const commitOrNull: JsonSchema = {
  ...closedObject({
    subject: { ...text, description: 'The first paragraph of its message, on one line.' },
    author: text,
    committed_at: instant,
    url: { ...textOrNull, description: 'Its page at the git host; `null` if the host is not known.' },
  }),
  type: ['object', 'null'],
};

const planEntryKeys = {
  name: text,
  uid: textOrNull,
  restored: { ...flag, description: 'A deleted webhook that comes back under its earlier UID.' },
  changes: { type: 'array', items: closedObject({ key: text, from: anyJson, to: anyJson }) },
};
const planEntry = closedObject(planEntryKeys);

const planEntries: JsonSchema = { type: 'array', items: planEntry };
const planSection = closedObject({ create: planEntries, update: planEntries, delete: planEntries });

const objectRef = closedObject({
  kind: oneOf(SUBJECT_KINDS),
  factory: { ...textOrNull, description: '`null` for a secret, which belongs to the team.' },
  id: { ...text, description: 'The ID; the name of an automation or a secret; the revision of a commit.' },
  name: { ...text, description: 'Display name.' },
});

const storyStep = closedObject({
  at: { ...instantOrNull, description: '`null` for a state that has no time.' },
  outcome: oneOf(STEP_OUTCOMES, '`now` is the current state, which can change.'),
  text: { ...text, description: 'One or two sentences.' },
  facts: { type: 'array', items: closedObject({ name: text, value: text }) },
  by: { ...textOrNull, description: 'Who did it; `null` if no person did, or if it is not known.' },
  commit: {
    type: ['object', 'null'],
    required: ['revision', 'commit'],
    additionalProperties: false,
    properties: { revision: text, commit: commitOrNull },
    description: 'The revision that was live, or that caused the step.',
  },
  changes: { ...planEntryKeys.changes, description: 'What the step changed in the definition.' },
  links: { type: 'array', items: objectRef, description: 'The objects of the step.' },
  command: { ...textOrNull, description: 'The command that shows more of the step.' },
  expandable: { type: 'boolean', description: 'Whether `all=true` lists one by one what the step sums up.' },
});

const plannedWebhook = closedObject({
  ...planEntryKeys,
  ingress_url: { ...textOrNull, description: 'URL of the webhook if it has a UID; `{token}` replaces a credential.' },
});
const plannedWebhooks: JsonSchema = { type: 'array', items: plannedWebhook };

const backtestExample = closedObject({
  delivery: text,
  webhook_uid: text,
  received_at: instant,
  path: { ...textOrNull, description: 'The key that makes the difference.' },
  message: text,
});

const backtest = closedObject(
  {
    since: instant,
    until: instant,
    stored: { ...count, description: 'Accepted deliveries of the webhooks concerned in that time.' },
    examined: count,
    sampled: { ...flag, description: 'Were fewer examined than stored? Then all counts are those of an even sample.' },
    automations: {
      type: 'array',
      items: closedObject({
        automation: text,
        examined: count,
        before: { ...count, description: 'Number of the examined deliveries that start it as applied.' },
        after: { ...count, description: 'Number of the examined deliveries that would start it as planned.' },
        gained_count: count,
        lost_count: count,
        unrecorded: {
          ...count,
          description:
            'Number of the examined deliveries without a record of a header that a filter tests. They count as sent without it.',
        },
        gained: {
          type: 'array',
          items: backtestExample,
          description: 'The most recent deliveries that would start it now, at most five.',
        },
        lost: {
          type: 'array',
          items: backtestExample,
          description: 'The most recent deliveries that would no longer start it, at most five.',
        },
      }),
    },
  },
  { description: 'Automations whose triggers change, evaluated with stored deliveries.' },
);

const factorySource: JsonSchema = {
  ...closedObject({
    type: oneOf(['repository', 'managed', 'live']),
    url: textOrNull,
    branch: textOrNull,
    path: textOrNull,
    pull_requests: { ...flag, description: 'Whether the daemon checks the pull requests of the repository.' },
  }),
  type: ['object', 'null'],
  description: '`null` for a factory that is no longer in the configuration.',
};

const listensTo: JsonSchema = { ...texts, description: 'UIDs of the webhooks that the last apply resolved.' };

const webhookTrigger = closedObject({
  provider: oneOf(['webhook']),
  event: oneOf(['received']),
  filter: closedObject({
    webhook_ids: texts,
    webhooks: texts,
    headers: { type: ['object', 'null'] },
    payload: { type: ['object', 'null'] },
  }),
  line: {
    type: ['integer', 'null'],
    description: 'Line of its webhooks in the file; `null` if no file exists.',
  },
  listens_to: listensTo,
  handled_elsewhere: { const: false },
});

const startsOrNot = {
  served_by: { ...texts, description: 'Names of the enabled webhooks from which it starts.' },
  reason: { ...textOrNull, description: 'Why it starts nothing here; `null` if it can start.' },
  note: {
    ...textOrNull,
    description: 'What the provider needs so that it sends the event; `null` if any webhook gets it.',
  },
};

const triggerService = closedObject({
  trigger: { ...text, description: 'Provider and event, for example `github issue_labeled`.' },
  events: { ...texts, description: 'What the provider sends: `X-GitHub-Event: issues, action labeled`.' },
  starts_here: flag,
  ...startsOrNot,
  repositories: {
    ...texts,
    type: ['array', 'null'],
    description:
      'Repositories of `factory.yaml`, which the trigger matches because its filter has no `repos`. `null` if it does not depend on them.',
  },
  names: {
    type: 'object',
    additionalProperties: texts,
    description: 'The IDs that the webhooks map the names of the filter to.',
  },
});

const ticks = closedObject({
  id: { ...textOrNull, description: '`null` until the daemon has stored the schedule, shortly after the apply.' },
  name: textOrNull,
  cron: text,
  timezone: text,
  catch_up: oneOf(['none', 'latest']),
  next_at: { type: 'array', items: instant, description: 'The next five times at which it fires.' },
  started_at: { ...instantOrNull, description: 'Ticks are after this time.' },
  last_at: { ...instantOrNull, description: 'Scheduled time of the last tick that was recorded.' },
  last_delivery: { ...textOrNull, description: 'ID of the entry in the delivery log for that tick.' },
  missed: { ...count, description: 'Number of ticks at which no daemon ran.' },
  last_missed_at: instantOrNull,
});

const providerTrigger: JsonSchema = {
  type: 'object',
  description: 'A trigger of a provider, as written, with the webhooks that serve it.',
  required: ['provider', 'listens_to', 'handled_elsewhere', 'service'],
  properties: {
    provider: text,
    listens_to: listensTo,
    handled_elsewhere: { ...flag, description: 'Whether Dockbell serves no events of this provider.' },
    service: triggerService,
    ticks: { ...ticks, description: 'Only of a trigger with a schedule: when it fires, and what was missed.' },
  },
  additionalProperties: true,
};

const traceEntry = closedObject({
  path: text,
  operator: text,
  expected: anyJson,
  actual: anyJson,
  present: { ...flag, description: 'Does the key exist? Distinguishes `null` from a missing key.' },
  matched: flag,
  message: text,
});

const token = {
  id: text,
  name: text,
  role: oneOf(TOKEN_ROLES),
  factories: { type: ['array', 'null'], items: text, description: '`null` for all factories.' },
  created_at: instant,
  last_used_at: instantOrNull,
  expires_at: { ...instantOrNull, description: 'Expiration time; `null` if the token never expires.' },
};

const capture = closedObject({
  until: instant,
  kept: { ...count, description: 'Rejected requests that the daemon holds in memory for a diagnosis.' },
});

const failedRequests = {
  since: { ...instant, description: 'The first of these requests.' },
  last_at: { ...instant, description: 'The last of these requests.' },
  count,
  reason: { ...textOrNull, description: 'Why the last of these requests was rejected, as a code.' },
  reason_text: { ...textOrNull, description: 'The reason as a sentence.' },
};

const traffic = closedObject(
  {
    last_accepted_at: {
      ...instantOrNull,
      description: 'The last delivery with the label `Accepted`, without replays.',
    },
    last_24_hours: {
      ...closedObject({ accepted: count, duplicate: count, rejected: count }),
      description: 'Number of requests in the current hour and the 23 before it.',
    },
    acceptance_rate: {
      type: ['number', 'null'],
      description:
        'The share of these requests that were accepted, from 0 to 1; `null` without requests. Requests without an entry in the log, such as those that got 429, count as rejected.',
    },
    credential_failing: {
      ...closedObject(failedRequests),
      type: ['object', 'null'],
      description: 'Requests with a wrong credential since the last one with an accepted credential; `null` for none.',
    },
    rejections: {
      ...closedObject({
        ...failedRequests,
        examined: {
          ...count,
          description:
            'Number of the most recent of these requests that `since` and the addresses are about. Smaller than `count` if there are many.',
        },
        addresses: { type: 'array', items: text, description: 'The client addresses with the most of these requests.' },
        other_addresses: { ...count, description: 'Number of other client addresses.' },
      }),
      type: ['object', 'null'],
      description:
        'The requests of these hours that were rejected and are in the log, also if other senders got through since; `null` for none.',
    },
  },
  { description: 'The outcome of the requests to the webhook. Older than the log, if retention has removed its rows.' },
);

const results = closedObject(
  {
    last_run: {
      ...closedObject({ id: text, state: oneOf(RUN_STATES), finished_at: instant }),
      type: ['object', 'null'],
      description: 'The run that ended last; `null` if none has.',
    },
    recent_runs: {
      ...count,
      description: `Number of the last runs that the counts cover, at most ${RECENT_RUNS}. Cancelled runs are excluded, and a retried run counts each time it ended.`,
    },
    recent_failed: { ...count, description: 'Number of these runs that failed.' },
    failed_in_a_row: { ...count, description: 'Number of the last runs that all failed.' },
    failing_since: {
      ...instantOrNull,
      description: 'When the first of these ended; `null` if the last run did not fail.',
    },
  },
  { description: 'How the last runs of the automation ended, also after retention has removed them.' },
);

const pause = closedObject(
  {
    factory: text,
    automation: { ...textOrNull, description: '`null` if the whole factory is paused.' },
    paused_at: instant,
    paused_by: closedObject({ kind: oneOf(IDENTITY_KINDS), id: text, name: text }),
    reason: textOrNull,
  },
  { description: 'A factory or an automation whose runs do not start.' },
);

const pauseOrNull: JsonSchema = { anyOf: [pause, { type: 'null' }] };

const factoryHealth = closedObject(
  {
    webhooks: { type: 'array', items: closedObject({ uid: text, name: text, enabled: flag, traffic }) },
    failed_automations: {
      type: 'array',
      items: closedObject({ name: text, results }),
      description: 'At most 20 automations with failed runs among their last ones, those with most failures first.',
    },
    queue: {
      type: 'array',
      items: closedObject({ automation: text, oldest_queued_at: instant }),
      description: 'At most 20 automations with queued runs, the longest wait first.',
    },
    replicas_behind: { ...count, description: 'Number of replicas that do not yet serve what was applied last.' },
  },
  { description: 'What happened to the requests and runs of the factory.' },
);

const webhook = {
  ...answerProperties(WEBHOOK_FIELDS),
  file,
  ingress_url: { ...text, description: 'For `url_token` with the literal `{token}` in place of the credential.' },
  served: {
    ...flag,
    description: 'Whether it receives deliveries: enabled, not deleted, and its factory is in the configuration.',
  },
  identified_by: oneOf(
    ['header', 'payload', 'provider', 'service header or body', 'body'],
    'Source of the delivery ID. With `service header or body`, identical bodies count as duplicates unless the sender sets `X-Service-Delivery-Id`. With `body`, they always do.',
  ),
  secret_state: oneOf(
    SECRET_STATES,
    'The worse of `credential_state` and `verify_token_state`. `outdated`: the next apply uses a newer value. `missing`: it fails.',
  ),
  credential_state: oneOf(SECRET_STATES, 'State of the secret `secret_name`.'),
  previous_secret_until: {
    ...instantOrNull,
    description:
      'Time until which the previous version of the secret is accepted, also after that time; `null` if it never is.',
  },
  verify_token_state: {
    type: ['string', 'null'],
    enum: [...SECRET_STATES, null],
    description: 'State of the secret `verify_token_secret_name`; `null` if none is set.',
  },
  commit: { ...commitOrNull, description: 'The commit of `revision`; `null` if it is not known.' },
  last_delivery_at: { ...instantOrNull, description: 'As `traffic.last_accepted_at`.' },
  traffic,
  capture: { ...capture, type: ['object', 'null'], description: 'The open capture window; `null` for none.' },
};

const skips: JsonSchema = {
  type: 'array',
  items: closedObject({ reason: oneOf(Object.keys(REPLAY_SKIPS)), reason_text: text, count }),
  description: 'Deliveries that match, but are not replayed, by reason.',
};

/** The named schemas of the OpenAPI document. They describe what the presenters send; a test compares the two. */
export const COMPONENTS = {
  Alert: closedObject(
    {
      id: text,
      rule: oneOf(ALERT_RULE_NAMES),
      title: { ...text, description: 'The rule in words.' },
      severity: oneOf(['error', 'warning']),
      state: oneOf(ALERT_STATES, '`acknowledged`: somebody takes care of it, and messages are not repeated.'),
      factory: { ...textOrNull, description: '`null` for an alert about the installation.' },
      object: {
        ...closedObject({
          kind: oneOf(['webhook', 'automation', 'token', 'factory', 'daemon']),
          name: text,
          id: { ...text, description: 'The ID, or the name of an automation.' },
        }),
        type: ['object', 'null'],
        description: '`null` for an alert about the factory or the installation.',
      },
      summary: { ...text, description: 'What was found, one sentence.' },
      advice: { ...text, description: 'What to do.' },
      opened_at: instant,
      last_seen_at: { ...instant, description: 'When its cause was last found, to 5 minutes.' },
      clear_since: {
        ...instantOrNull,
        description: 'When its cause ended; `null` while it lasts. The alert is resolved some time later.',
      },
      resolved_at: instantOrNull,
      count: { ...count, description: 'How often its cause was found again after it had ended for a short time.' },
      acknowledged_at: instantOrNull,
      acknowledged_by: {
        ...closedObject({ kind: oneOf(IDENTITY_KINDS), id: text, name: text }, { type: ['object', 'null'] }),
        description: 'Who takes care of it.',
      },
      note: textOrNull,
    },
    { description: 'Something that needs attention: one alert for each rule and object.' },
  ),
  AlertTarget: closedObject(
    {
      name: text,
      type: oneOf(['webhook', 'slack', 'email']),
      problem: { ...textOrNull, description: 'Why the last message could not be sent; `null` if it was sent.' },
      failing_since: instantOrNull,
    },
    { description: 'Who gets messages about alerts, as the configuration says.' },
  ),
  AlertTest: closedObject(
    {
      target: text,
      sent: { ...flag, description: 'Did the target take the message?' },
      problem: { ...textOrNull, description: 'Why not; `null` if it did.' },
    },
    { description: 'The result of a test message.' },
  ),
  Factory: closedObject(
    {
      name: text,
      source: factorySource,
      configured: {
        ...flag,
        description:
          'Does the configuration name the factory? If not, its webhooks answer 404 until it is configured again, renamed or forgotten.',
      },
      applied_revision: textOrNull,
      applied_commit: { ...commitOrNull, description: 'The commit that is live; `null` if it is not known.' },
      applied_at: instantOrNull,
      attempted_revision: textOrNull,
      attempted_at: instantOrNull,
      conditions: { type: 'array', items: condition },
      counts: closedObject({ webhooks: count, automations: count, queued_runs: count, running_runs: count }),
      health: factoryHealth,
      pause: {
        ...pauseOrNull,
        description: 'Who paused the factory, and why; `null` if it is not paused.',
      },
    },
    { description: 'A factory: where its definition comes from, what it serves and what was last tried.' },
  ),
  Webhook: {
    ...closedObject({
      ...webhook,
      unlogged_requests: {
        type: 'array',
        items: { $ref: 'UnloggedRequests#' },
        description:
          'Requests without an entry in the delivery log, by reason, the most recent first. Only in the answer that shows one webhook.',
      },
    }),
    required: Object.keys(webhook),
    description: 'A webhook as the last apply left it.',
  },
  UnloggedRequests: closedObject(
    {
      reason: { ...text, description: 'Why the requests have no entry in the delivery log, as a code.' },
      reason_text: { ...text, description: 'The reason as a sentence.' },
      status: {
        type: ['integer', 'null'],
        description: 'The status that senders received; `null` for none or several.',
      },
      last_hour: { ...count, description: 'Number of requests in the last hour, to 10 minutes.' },
      last_24_hours: { ...count, description: 'Number of requests in the last 24 hours, to 10 minutes.' },
      last_31_days: { ...count, description: 'Number of requests in the last 31 days. Earlier ones are not counted.' },
      last_at: { ...instant, description: 'Time of the last request.' },
    },
    { description: 'Requests to a webhook that have no entry in the delivery log for one reason.' },
  ),
  NewWebhook: {
    ...closedObject({ ...webhook, secret: { ...text, description: 'The generated secret, only in this response.' } }),
    required: Object.keys(webhook),
    description: 'The webhook after its secret was created. `secret` is set only if the daemon generated it.',
  },
  SignatureScheme: closedObject(
    {
      name: { ...text, description: 'Value for `signature_scheme` of a webhook.' },
      title: { ...text, description: 'The provider, for people.' },
      secret_issued: oneOf(
        ['user', 'app', 'after', 'handshake'],
        '`user`: the team chooses the secret; `app`: it exists before any URL; `after`: the provider issues it once it knows the URL; `handshake`: it arrives at the URL.',
      ),
      generates_secret: { ...flag, description: 'Is a secret generated if none is given?' },
      identities: { ...texts, description: 'What names a delivery: headers, or values of the body as `body a.b`.' },
      credential_places: { ...texts, description: 'Where the request contains the signature.' },
      documentation: { ...textOrNull, description: 'The provider’s own page.' },
    },
    { description: 'How a provider signs its deliveries.' },
  ),
  Delivery: closedObject(
    {
      ...answerProperties(DELIVERY_FIELDS),
      reason_text: { ...textOrNull, description: 'The reason as a sentence.' },
    },
    { description: 'One row of the delivery log.' },
  ),
  Capture: { ...capture, description: 'An open capture window.' },
  Diagnosis: closedObject(
    {
      mistake: {
        ...textOrNull,
        description: '`none` if the request is valid now; `null` if no mistake explains it.',
      },
      sentence: { ...text, description: 'Which mistake it was and what to do, for people.' },
      tried: { ...texts, description: 'If nothing explains it: the mistakes that were tested.' },
    },
    { description: 'Why a delivery was rejected.' },
  ),
  Handshake: closedObject(
    {
      kind: oneOf(['Handshake'], 'Instead of a label: a handshake is not a delivery.'),
      webhook_uid: text,
      handshake: { ...text, description: 'Name of the handshake in the table of handshakes.' },
      outcome: oneOf(HANDSHAKE_OUTCOMES),
      detail: { ...textOrNull, description: 'For people.' },
      count: { ...count, description: 'Number of requests that this row represents.' },
      received_at: instant,
      client_address: text,
    },
    { description: 'One row of the log of handshakes.' },
  ),
  EditorSchema: closedObject(
    { name: text, title: text, path: text },
    { description: 'A JSON Schema of files that people write.' },
  ),
  FoundId: closedObject({ id: text, factory: text }, { description: 'A whole ID and the factory of its object.' }),
  Story: closedObject(
    {
      subject: objectRef,
      answer: { ...text, description: 'The deciding fact, in one or two sentences.' },
      steps: { type: 'array', items: storyStep },
      next: {
        type: 'array',
        items: closedObject({ purpose: text, command: text }),
        description: 'Commands to run next, the most useful one first.',
      },
    },
    { description: 'Why an object is in its state: what happened, in order.' },
  ),
  Explanation: closedObject(
    {
      delivery: text,
      decisions: {
        type: 'array',
        items: closedObject({
          automation: text,
          outcome: oneOf(['started', 'filtered', 'disabled', 'filter_error', 'ignored_actor', 'loop_guard', 'paused']),
          run: textOrNull,
          path: textOrNull,
          expected: anyJson,
          actual: anyJson,
          message: text,
        }),
      },
      not_stored: {
        ...closedObject({ filtered: count, disabled: count, filter_error: count }),
        description:
          'Decisions that an earlier version of Dockbell counted only, by outcome. Every automation that started is in `decisions`.',
      },
      next_cursor: { ...textOrNull, description: 'Cursor of the next page; `null` on the last page.' },
    },
    { description: 'Why each automation that listened started or did not, ordered by automation.' },
  ),
  ForgottenFactory: closedObject(
    { name: text, cancelled_runs: { ...count, description: 'Number of runs that were queued.' } },
    { description: 'The factory that was removed.' },
  ),
  Automation: closedObject(
    {
      ...answerProperties(AUTOMATION_FIELDS),
      triggers: { type: 'array', items: { anyOf: [webhookTrigger, providerTrigger] } },
      file,
      commit: { ...commitOrNull, description: 'The commit of `revision`; `null` if it is not known.' },
      results,
      pause: {
        ...pauseOrNull,
        description: 'Who paused the automation, and why; `null` unless this automation is paused.',
      },
      oldest_queued_at: {
        ...instantOrNull,
        description: `When its oldest queued run was created; \`null\` if none of the ${MAX_EXAMINED_QUEUE} oldest queued runs of the factory is one.`,
      },
      warnings: { type: 'array', items: diagnostic },
    },
    { description: 'An automation as the last apply left it.' },
  ),
  FilterResult: closedObject(
    {
      verdict: oneOf(['Would trigger', 'Would not trigger']),
      trace: { type: 'array', items: traceEntry },
      decided_by: { ...textOrNull, description: 'The key that decided, for example `data.issue.level`.' },
      message: { ...text, description: 'The result in one sentence.' },
    },
    { description: 'What a filter or an automation would do, and which key decided.' },
  ),
  Run: withOptional(
    closedObject(
      {
        ...answerProperties(RUN_FIELDS),
        attempts: {
          type: 'array',
          items: { $ref: 'RunAttempt#' },
          description:
            'The attempts that started or were requested, oldest first. Attempts before an upgrade to version 0.2 are missing, except the last one.',
        },
        waiting: {
          ...closedObject({
            reason: oneOf(WAIT_REASONS),
            reason_text: { ...text, description: 'The reason as a sentence, with what to do.' },
            position: {
              type: ['integer', 'null'],
              minimum: 1,
              description: `Position in the queue of the factory, or among the runs with the same concurrency key, budget or pause; 1 for the next run. \`null\` in events, while the run waits for a time, and beyond ${MAX_QUEUE_POSITION}.`,
            },
          }),
          type: ['object', 'null'],
          description: 'Why the run has not started, while it is `queued`; otherwise `null`.',
        },
      },
      { description: 'One execution of an automation for one delivery.' },
    ),
    { context: { $ref: 'RunContext#' } },
  ),
  RunAttempt: closedObject(
    {
      ...answerProperties(ATTEMPT_FIELDS),
      reason: {
        type: ['string', 'null'],
        enum: [...RUN_REASONS, null],
        description: 'Why the attempt failed or was cancelled, as a code.',
      },
      reason_text: { ...textOrNull, description: 'The reason as a sentence, with what to do.' },
    },
    { description: 'One attempt to execute a run.' },
  ),
  Replay: closedObject(
    { ...answerProperties(REPLAY_FIELDS), skipped: skips },
    { description: 'A replay of stored deliveries, and how far it is.' },
  ),
  ReplayPreview: closedObject(
    {
      total: { ...count, description: 'Number of accepted deliveries within webhook and times.' },
      examined: { ...count, description: 'Number of them that this part of the dry run examined.' },
      replayed: { ...count, description: 'Number of deliveries that would be replayed.' },
      matched: { ...count, description: 'Number of them that would start a run.' },
      runs: { ...count, description: 'Number of runs that would start.' },
      skipped: skips,
      automations: {
        type: 'array',
        items: closedObject({
          automation: text,
          runs: { ...count, description: 'Number of runs that the automation would start.' },
          examples: {
            type: 'array',
            items: closedObject({ delivery: text, delivery_id: text, received_at: instant }),
            description: 'The first deliveries that would start it.',
          },
        }),
      },
      next_cursor: nextCursor,
    },
    { description: 'A part of a dry run of a replay.' },
  ),
  RunContext: {
    type: 'object',
    additionalProperties: false,
    description:
      'Only in the answer that shows one run, and in its input. What the provider of the delivery says about the event; empty if its webhook serves no provider. All values are texts of the sender, at most 512 characters and on one line. A value that the delivery does not have is omitted.',
    properties: {
      ...contextValues,
      events: { ...texts, description: 'The events of all provider triggers of the automation that matched.' },
    },
  },
  RunInput: closedObject(
    {
      prompt: text,
      envelope: text,
      attachments: { type: 'array', items: closedObject({ name: text, size: count, media_type: text }) },
      overrides: { type: 'object' },
      workspace: {
        ...closedObject({
          repository: { ...textOrNull, description: '`null` for the repository of the factory.' },
          ref: text,
        }),
        type: ['object', 'null'],
        description: 'The checkout that its automation declares; `null` for none.',
      },
      event: { ...textOrNull, description: 'The name of the event of the delivery.' },
      context: { $ref: 'RunContext#' },
      stands_for: closedObject(
        {
          count,
          deliveries: { type: 'array', items: closedObject({ id: text, delivery_id: text, run: text }) },
        },
        {
          description:
            'The other deliveries that the run stands for, because it replaced their runs: newest first, at most 1,000.',
        },
      ),
    },
    { description: 'What a run was given.' },
  ),
  AgentFile: closedObject(
    {
      path: { ...text, description: 'Path relative to the folder of the factory.' },
      size: count,
      content_base64: text,
    },
    { description: 'A file in `agents/`, `runners/` or `skills/`.' },
  ),
  RunPost: closedObject(
    {
      attempt: { type: 'integer', minimum: 1 },
      target: { ...text, description: 'Type of the target, what it gets, and its host.' },
      repository: { ...textOrNull, description: '`null` for a callback, and if the payload does not name it.' },
      commit: { ...textOrNull, description: 'The commit that gets the status.' },
      number: { ...textOrNull, description: 'Number of the pull request that gets the comment.' },
      state: {
        ...oneOf(NOTICE_STATES),
        description:
          '`given_up`: the target rejected it, or all attempts of 24 hours failed. `skipped`: nothing is posted to this target.',
      },
      problem: { ...textOrNull, description: 'Why it is not posted; `null` without a problem.' },
      retry_at: { ...instantOrNull, description: 'When it is posted; `null` if it does not wait.' },
      created_at: instant,
    },
    { description: 'The result of an attempt for one target of `runs.results`.' },
  ),
  RunArtifact: closedObject(
    {
      number: { type: 'integer', minimum: 1, description: 'Position in `result.json`.' },
      name: text,
      path: { ...text, description: 'Path in the directory of the run.' },
      size: {
        type: ['integer', 'null'],
        minimum: 0,
        description:
          'Size in bytes. `null` if the file is not stored: it exceeds a limit, retention has removed it, or a receiver named it.',
      },
    },
    { description: 'A file that an attempt names in `result.json`.' },
  ),
  RunCount: closedObject(
    {
      count: { ...count, description: 'Number of matching runs among those that the request examined.' },
      next_cursor: nextCursor,
    },
    { description: 'Number of runs that match.' },
  ),
  RunRetries: closedObject(
    {
      retried: { ...count, description: 'Number of runs that were queued again.' },
      rejected: {
        type: 'array',
        items: closedObject({ run: text, reason: oneOf(RETRY_REJECTIONS), reason_text: text }),
        description: 'Matching runs that were not retried.',
      },
      next_cursor: nextCursor,
    },
    { description: 'Which runs were retried.' },
  ),
  RunLogTimes: closedObject(
    {
      data: {
        type: 'array',
        items: closedObject({ offset: { ...count, description: 'Position in the log, in bytes.' }, at: instant }),
      },
      next_offset: {
        type: ['integer', 'null'],
        minimum: 0,
        description: 'Pass it back as `offset` for the entries that follow; `null` at the end.',
      },
    },
    { description: 'When parts of the log of a run were written, oldest first.' },
  ),
  ClaimedRun: closedObject(
    {
      run: { $ref: 'Run#' },
      webhook: closedObject({ name: text, uid: text }),
      agent: { ...textOrNull, description: '`null` is the foreman.' },
      input: { $ref: 'RunInput#' },
      trace: {
        ...closedObject({ traceparent: text, tracestate: textOrNull }),
        type: ['object', 'null'],
        description:
          'W3C trace context of this attempt, to continue the trace of the delivery; `null` if it is not traced.',
      },
      fence: {
        type: 'integer',
        minimum: 1,
        description: 'Number of this claim. Send it with every later request for the run.',
      },
      secrets: {
        type: ['object', 'null'],
        additionalProperties: { type: 'string' },
        description:
          'The values of the secrets that the automation lists, by name. Only this answer contains them. `null` if the claim did not ask for them.',
      },
      checkout: {
        ...closedObject({
          url: { ...textOrNull, description: 'URL of the repository, or its path; without credentials.' },
          ref: { ...textOrNull, description: 'A branch, a tag, a full ref or a commit ID.' },
          username: textOrNull,
          password: {
            ...textOrNull,
            description: 'From `runs.workspaces` of the factory. Only this answer contains it.',
          },
          problem: { ...textOrNull, description: 'Why nothing can be checked out; `null` if it can.' },
        }),
        type: ['object', 'null'],
        description:
          'The repository that the worker checks out for the run. `null` if the automation declares no `workspace`, or if the claim did not ask for secrets.',
      },
      timeout_seconds: { type: 'number', description: 'Maximum duration of the attempt.' },
      ...leaseTerm,
    },
    { description: 'A run that a worker has claimed.' },
  ),
  Worker: closedObject(
    {
      id: { ...textOrNull, description: 'Identifies the worker among those with the same token.' },
      name: text,
      token: { ...text, description: 'Name of its token or user.' },
      state: { ...oneOf(['online', 'offline']), description: '`offline`: no request for 90 seconds.' },
      labels: { type: 'array', items: text },
      concurrency: { type: ['integer', 'null'], description: 'Number of runs that it executes at the same time.' },
      version: textOrNull,
      factories: { type: 'array', items: text, description: 'Factories whose runs it asks for.' },
      last_seen_at: instant,
      runs: {
        type: 'array',
        description: 'The runs that it holds.',
        items: closedObject({
          id: text,
          factory: text,
          automation: text,
          attempt: { type: 'integer', minimum: 1 },
          started_at: { ...instant, type: ['string', 'null'] },
        }),
      },
    },
    { description: 'A worker that has sent a request since the daemon started.' },
  ),
  Lease: closedObject(leaseTerm, { description: 'Time within which a worker must send the next heartbeat.' }),
  Reconciliation: closedObject(
    {
      id: text,
      factory: text,
      revision: textOrNull,
      commit: { ...commitOrNull, description: 'The commit of `revision`; `null` if it is not known.' },
      result: oneOf(['applied', 'unchanged', 'invalid', 'failed']),
      reason: text,
      reason_text: reasonText,
      message: text,
      diagnostics: { type: 'array', items: diagnostic },
      plan: closedObject({ webhooks: planSection, automations: planSection }),
      started_at: instant,
      finished_at: instant,
      attempted_at: instant,
    },
    { description: 'One attempt to apply a commit or an edit.' },
  ),
  PlanPreview: closedObject(
    {
      factory: text,
      applied_revision: { ...textOrNull, description: 'What is live now, which the plan starts from.' },
      applied_commit: { ...commitOrNull, description: 'The commit that is live; `null` if it is not known.' },
      webhooks: closedObject({ create: plannedWebhooks, update: plannedWebhooks, delete: plannedWebhooks }),
      automations: planSection,
      triggers: {
        type: 'array',
        items: closedObject({
          automation: text,
          trigger: text,
          ...startsOrNot,
          next: {
            type: 'array',
            items: instant,
            description: 'The next five times of a schedule; empty for other triggers.',
          },
        }),
        description:
          'What starts the triggers of automations that are created or changed. Also the schedules of at most 20 others.',
      },
      agent_files: {
        ...closedObject({ create: texts, update: texts, delete: texts }),
        type: ['object', 'null'],
        description:
          'Paths of the files in `agents/`, `runners/` and `skills/` that change; `null` if the request did not list these files.',
      },
      missing_secrets: {
        type: 'array',
        items: closedObject({ name: text, webhooks: texts, automations: texts }),
        description:
          'Team secrets that do not exist, or whose scope excludes the factory. The apply waits for those that webhooks name.',
      },
      diagnostics: { type: 'array', items: diagnostic },
      backtest,
    },
    { description: 'What applying a definition would change.' },
  ),
  Backtest: backtest,
  Activity: closedObject(
    {
      factory: text,
      from: instant,
      to: instant,
      bucket: oneOf(['hour']),
      buckets: {
        type: 'array',
        items: closedObject({
          start: instant,
          deliveries: closedObject(Object.fromEntries(DELIVERY_LABELS.map((label) => [label, count]))),
          runs: closedObject(Object.fromEntries(RUN_STATES.map((state) => [state, count]))),
        }),
      },
      webhooks: {
        type: 'array',
        items: closedObject({
          webhook_uid: text,
          deliveries: { type: 'array', items: count, description: 'For each bucket, with any label.' },
        }),
        description: 'Webhooks that received something in that time.',
      },
    },
    { description: 'Counts for charts.' },
  ),
  PullRequest: closedObject(
    {
      number: { type: 'integer', minimum: 1 },
      title: { ...text, description: 'Written by the author of the pull request, who may be anybody.' },
      url: { ...textOrNull, description: 'Its page at the git host; `null` if the host did not name it.' },
      head: { ...text, description: 'The commit at its head.' },
      fork: { type: 'boolean', description: 'Whether the head is in another repository.' },
      state: {
        ...oneOf(['waiting', 'pending', 'success', 'failure', 'error', 'untouched']),
        description:
          '`waiting`: not checked yet. `untouched`: it changes nothing that the factory reads. The others are those of the commit status.',
      },
      description: {
        ...textOrNull,
        description: 'What the commit status says, or why the commit could not be read.',
      },
      checked_at: instantOrNull,
      posts: {
        type: 'array',
        items: closedObject({
          kind: oneOf(['status', 'comment']),
          state: {
            ...oneOf(NOTICE_STATES),
            description: '`given_up`: the git host rejected it, or all attempts of 24 hours failed.',
          },
          problem: { ...textOrNull, description: 'Why the last attempt failed.' },
        }),
        description: 'The outcome of its commit status and its comment at the git host. Empty if neither is due.',
      },
    },
    { description: 'An open pull or merge request, and its last check.' },
  ),
  PullRequests: closedObject(
    {
      factory: text,
      host: { ...text, description: 'Type of the git host.' },
      repository: { ...text, description: 'Its repository at the git host.' },
      branch: { ...text, description: 'Pull requests for other branches are not checked.' },
      listed_at: { ...instantOrNull, description: 'When the git host answered last; `null` if it never did.' },
      problem: {
        ...textOrNull,
        description: 'Why the git host could not be asked last, and what to do; `null` if it answered.',
      },
      has_more: { type: 'boolean', description: 'Whether the git host has more open requests than are checked.' },
      data: { type: 'array', items: { $ref: 'PullRequest#' } },
      next_cursor: { ...nextCursor, description: 'Always `null`: the list has one page.' },
    },
    { description: 'Open pull requests of a factory, and their last checks.' },
  ),
  PayloadKeys: closedObject(
    {
      webhook_uid: text,
      examined: { ...count, description: 'Number of payloads that were examined.' },
      keys: {
        type: 'array',
        items: closedObject({
          path: { ...texts, description: 'As a filter nests it.' },
          text: { ...text, description: 'The path in one line, for example `data.issue.level`.' },
          payloads: { ...count, description: 'Number of payloads with this key.' },
          types: { type: 'array', items: oneOf(['string', 'number', 'boolean', 'null', 'object']) },
          examples: { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } },
        }),
      },
    },
    { description: 'Keys of stored payloads.' },
  ),
  ReconciliationRequested: closedObject(
    { factory: text, requested_at: instant },
    { description: 'A reconciliation was requested. It appears in the list when it has ended.' },
  ),
  Replica: closedObject(
    {
      id: { ...text, description: 'ID of this start of the daemon.' },
      name: text,
      version: text,
      role: oneOf(
        ['leader', 'follower'],
        'The leader applies definitions and starts runs. All replicas accept deliveries.',
      ),
      alive: { ...flag, description: 'Did it give a sign of life in the last 15 seconds?' },
      seen_seconds_ago: count,
      started_at: instant,
      ingress_url: textOrNull,
      admin_url: textOrNull,
      behind: {
        type: 'array',
        items: text,
        description: 'Factories of which it does not yet serve what was applied last.',
      },
    },
    { description: 'One of the daemons that share a database.' },
  ),
  Ancestry: closedObject(
    {
      revision: text,
      applied_revision: textOrNull,
      contained: {
        type: ['boolean', 'null'],
        description: 'Is the commit part of the history of what is live? `null` if that cannot be determined.',
      },
    },
    { description: 'Whether a commit is live, directly or as part of a later commit.' },
  ),
  Secret: closedObject(answerProperties(SECRET_FIELDS), { description: 'A team secret without its value.' }),
  Revision: closedObject(
    { revision: text, author: text, message: text, created_at: instant },
    { description: 'One change of a managed factory.' },
  ),
  SecretStored: closedObject(
    {
      name: text,
      version: count,
      created: flag,
      scope: SECRET_FIELDS.scope.type.schema,
      warning: {
        ...textOrNull,
        description:
          'What to do if no factory may use the secret, or if the next apply of a webhook rejects the value; `null` otherwise.',
      },
    },
    { description: 'The newest version of the secret, and its scope.' },
  ),
  MasterKeyRotation: closedObject(
    {
      state: oneOf(['done', 'waiting']),
      resealed: { ...count, description: 'Number of values that were encrypted again.' },
      key_file: {
        ...textOrNull,
        description: 'The key file of the daemon; `null` if the key comes from the environment.',
      },
      earlier_key_file: { ...textOrNull, description: 'The file with the earlier key, for earlier backups.' },
    },
    { description: 'A change of the master key. `waiting`: install the new key before the next start.' },
  ),
  Token: closedObject(token, { description: 'An API token without its text.' }),
  NewToken: closedObject(
    { ...token, token: { ...text, description: 'The token, only in this response.' } },
    { description: 'An API token with its text, which cannot be read again.' },
  ),
  User: closedObject(
    {
      id: text,
      name: text,
      kind: oneOf(['local', 'oidc']),
      role: oneOf(ROLES),
      factories: {
        type: ['array', 'null'],
        items: text,
        description: 'Factories that the user is limited to; `null` for all.',
      },
      disabled: flag,
      created_at: instant,
      last_sign_in_at: instantOrNull,
      password_changed_at: instantOrNull,
    },
    { description: 'Somebody who may sign in.' },
  ),
  AuditEntry: closedObject(
    {
      id: text,
      at: instant,
      actor: {
        ...closedObject({ kind: oneOf(AUDIT_ACTOR_KINDS), id: text, name: text }, { type: ['object', 'null'] }),
        description:
          'Who did it, under their name at that time. `daemon`: a commit of a repository was applied; `changes` names its author. `null` if nobody was authenticated.',
      },
      action: { ...text, description: 'The requested action in words, such as `Rotate secret of webhook`.' },
      method: { ...text, description: 'That of the request. `READ` for a read.' },
      route: text,
      object: { ...text, description: 'The changed or read object, as a path below the API.' },
      changes: {
        type: ['object', 'null'],
        additionalProperties: true,
        description:
          'What was asked for; values that could be secret are `[not shown]`. Of an apply: the commit, the changed definitions and the versions of secrets in use since.',
      },
      outcome: oneOf(AUDIT_OUTCOMES),
      status: { type: 'integer' },
      client_address: text,
    },
    { description: 'One change, one attempt to sign in, or the first read of an object by a reader on a day (UTC).' },
  ),
  SignInWays: closedObject(
    {
      oidc: {
        ...closedObject({ label: text, url: text }, { type: ['object', 'null'] }),
        description: 'Where a browser signs in at the OpenID provider; `null` if none is configured.',
      },
    },
    { description: 'Further ways to sign in, in addition to passwords, tokens and login links.' },
  ),
  SignedIn: closedObject(
    {
      user: closedObject({
        id: { ...text, description: 'Name as in the audit log.' },
        name: text,
        role: oneOf(ROLES),
        factories: {
          type: ['array', 'null'],
          items: text,
          description: 'Factories that the token can access; `null` for all.',
        },
        kind: oneOf(
          IDENTITY_KINDS,
          'How the user authenticated: by an API token, a password, the OpenID provider or a login link.',
        ),
      }),
      csrf_token: {
        ...textOrNull,
        description: 'Value for `X-CSRF-Token`; `null` if the request has no session.',
      },
      last_event_id: {
        ...text,
        description: 'ID of the most recent event. Pass it as `after` to `GET /events` to miss no event.',
      },
    },
    { description: 'The signed-in user.' },
  ),
  Session: closedObject(
    {
      id: text,
      current: { ...flag, description: 'Whether it is the session of this request.' },
      client_address: text,
      user_agent: { ...textOrNull, description: 'The `User-Agent` of the browser.' },
      created_at: instant,
      last_used_at: instant,
      expires_at: { ...instant, description: 'Time at which the session ends, even if it is used.' },
    },
    { description: 'A browser that is signed in.' },
  ),
  LoginLink: closedObject(
    { id: text, url: { ...text, description: 'Works once, and is only in this response.' }, expires_at: instant },
    { description: 'A link that signs in as an owner.' },
  ),
  BackfillAnswer: closedObject(
    {
      status: {
        type: 'integer',
        description:
          'Status that the ingress answered: 202 if the delivery is stored, or 200 for providers that expect it.',
      },
      retry_after: { type: ['integer', 'null'], description: 'Seconds to wait before another attempt, after a 429.' },
      signature: oneOf(['original', 'new'], 'Whether the original signature fitted the payload.'),
      delivery: { ...textOrNull, description: 'ID of the most recent log entry with the delivery ID.' },
      label: { ...textOrNull, description: 'Label of that entry; `Duplicate` if it was accepted before.' },
    },
    { description: 'The outcome of a delivery that was posted by a backfill.' },
  ),
  ConnectionPlan: closedObject(
    {
      provider: oneOf(CONNECT_PROVIDERS),
      target: { ...text, description: 'As the provider names it.' },
      api_url: { ...text, description: 'Base URL of the API that was asked.' },
      action: oneOf(['create', 'change', 'none'], 'What an apply does at the provider.'),
      hook: { ...textOrNull, description: 'ID of the webhook at the provider; `null` if there is none.' },
      in_sync: { ...flag, description: 'Whether no field has the state `change` or `manual`.' },
      fields: {
        type: 'array',
        items: closedObject({
          field: oneOf(CONNECTION_FIELDS),
          registered: {
            type: ['array', 'null'],
            items: text,
            description: '`null` if there is no webhook, or if the provider does not report the field.',
          },
          wanted: texts,
          state: oneOf(
            CONNECTION_STATES,
            '`same`: equal. `change`: an apply changes it. `send`: the provider does not report it, and an apply sends it. `unknown`: the provider does not report it, and an apply leaves it. `manual`: only a person can change it.',
          ),
          remedy: { ...textOrNull, description: 'What to do; `null` unless the state is `manual`.' },
        }),
      },
      needed_by: {
        type: 'array',
        items: closedObject({
          event: { ...text, description: 'As the provider registers it.' },
          automation: {
            ...textOrNull,
            description: '`null` for a setting of the factory in `dockbell.yaml`.',
          },
          trigger: {
            ...text,
            description:
              'For example `github issue_labeled` or `webhook`; or the setting: `pushWebhook`, `pullRequests`.',
          },
        }),
        description: 'What needs the events.',
      },
      notes: { ...texts, description: 'What the API cannot register, and triggers that accept all events.' },
      secret: closedObject(
        { name: text, version: count },
        { description: 'The secret that the webhook checks at the moment.' },
      ),
      digest: { ...text, description: 'Names this difference in the request that applies it.' },
    },
    { description: 'The difference between a webhook at a provider and what a factory needs.' },
  ),
  TestDeliveryAnswer: closedObject(
    {
      status: { type: 'integer' },
      headers: { type: 'object', additionalProperties: text },
      body: text,
    },
    { description: 'What the ingress answered.' },
  ),
  Pause: pause,
  Drain: closedObject(
    {
      state: oneOf(
        DRAIN_PHASES,
        '`draining`: no run starts until `DELETE /drain`. `stopping`: the daemon stops when its commands have ended.',
      ),
      since: { ...instantOrNull, description: 'Since when no run starts.' },
      executing_runs: { ...count, description: 'Runs whose commands the daemon executes.' },
      worker_runs: {
        ...count,
        description: 'Runs that workers and receivers hold. A restart does not interrupt them.',
      },
    },
    { description: 'Whether runs start.' },
  ),
  Reload: closedObject(
    {
      applied: { ...texts, description: 'Options that took effect.' },
      restart_required: { ...texts, description: 'Options that take effect at the next start.' },
      factories: closedObject(
        { added: texts, changed: texts, removed: texts },
        { description: 'Names of factories. Their keys took effect.' },
      ),
    },
    { description: 'What a reload of the configuration changed.' },
  ),
  Health: closedObject(
    {
      status: oneOf(['ok']),
      version: { ...text, description: 'Version of Dockbell. One that is not released ends with `-dev`.' },
      commit: { ...textOrNull, description: 'The commit that was built, with `-dirty` if sources differed from it.' },
      built_at: { ...textOrNull, description: 'When it was built. For a release, the time of the commit.' },
      node: { ...text, description: 'Version of Node.js.' },
      sqlite: { ...textOrNull, description: 'Version of SQLite.' },
    },
    { description: 'The process is running, and which program it is.' },
  ),
  Readiness: closedObject(
    { ready: flag, problems: texts, warnings: texts },
    { description: 'Deliveries can be taken.' },
  ),
  DoctorReport: closedObject(
    {
      checks: { ...texts, description: 'The checks that ran.' },
      findings: {
        type: 'array',
        items: closedObject({
          severity: oneOf(FINDING_SEVERITIES),
          check: text,
          message: text,
          hint: { ...text, description: 'What to do.' },
        }),
      },
    },
    { description: 'What is wrong with the installation.' },
  ),
  BackupStatus: closedObject(
    {
      schedule: {
        type: ['object', 'null'],
        description: '`null` if the configuration has no `backup`.',
        required: ['every_seconds', 'keep', 'dir', 'last_success', 'last_failure', 'next_at'],
        additionalProperties: false,
        properties: {
          every_seconds: { type: 'integer' },
          keep: count,
          dir: text,
          last_success: {
            type: ['object', 'null'],
            required: ['at', 'file', 'bytes'],
            additionalProperties: false,
            properties: { at: instant, file: text, bytes: count },
          },
          last_failure: {
            type: ['object', 'null'],
            description: '`null` if none failed since the start of the daemon.',
            required: ['at', 'problem'],
            additionalProperties: false,
            properties: { at: instant, problem: text },
          },
          next_at: instant,
        },
      },
      running: {
        type: ['object', 'null'],
        description: '`null` if no backup is being made.',
        required: ['phase', 'done_bytes', 'total_bytes'],
        additionalProperties: false,
        properties: { phase: oneOf(BACKUP_PHASES), done_bytes: count, total_bytes: count },
      },
    },
    { description: 'Scheduled backups, and how far the current backup is.' },
  ),
  Problem: {
    type: 'object',
    description: 'A problem document (RFC 9457).',
    required: ['type', 'title', 'status', 'detail', 'code'],
    properties: {
      type: text,
      title: text,
      status: { type: 'integer' },
      detail: text,
      code: { ...text, description: 'For programs; a published code keeps its meaning.' },
      errors: {
        type: 'array',
        items: closedObject({ pointer: text, in: oneOf(['body', 'query', 'path']), detail: text }),
      },
      diagnostics: { type: 'array', items: diagnostic, description: 'What is wrong with definition files.' },
      id: { ...text, description: 'For internal errors: look for it in the daemon’s log.' },
      candidates: {
        type: 'array',
        items: closedObject({ ref: text, factory: textOrNull, text }),
        description: 'For a reference that matches nothing, or more than one object: exact forms.',
      },
    },
  },
} as const satisfies Record<string, JsonSchema>;

/** For routes that take no body: none, `null` or `{}`. Omitted in the OpenAPI document. */
export const noBody: JsonSchema = { type: ['object', 'null'], additionalProperties: false };

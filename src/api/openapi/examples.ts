import { ALERT_RULES } from '../../domain/messages/alert-rules.ts';
import { DELIVERY_LABELS } from '../../domain/resources/delivery.ts';
import { RUN_STATES } from '../../domain/resources/run.ts';
import { describeReplaySkip } from '../../domain/words/deliveries.ts';
import { AUTH_REASONS } from '../../domain/words/delivery-reasons.ts';
import { explainRetryRejection } from '../../domain/words/runs.ts';
import { describeStatusReason } from '../../domain/words/status-reasons.ts';
import { UNLOGGED_REASONS } from '../../domain/words/unlogged-reasons.ts';
import { PAYLOAD_FILE, renderEnvelope } from '../../runs/envelope.ts';
import { describeProblem } from '../server/problem.ts';
import { describeAction } from './operations.ts';
import type { COMPONENTS } from './schemas.ts';

// Examples of the OpenAPI document, in one place: one small team with the factory `payments`. A test validates each of
// them against its schema and fails if a schema or a request body has none.

const COMMIT = '5c1f0a9e7d2b4c6f8a0e1d3b5c7f9a2e4d6b8c0f';
const EARLIER_COMMIT = '0b8d6e4a2f9c7b5d3e1a0c8f6d4b2e9a7c5f3d1b';
const WEBHOOK_UID = 'wh_7h3k9m2p5r8t1v4w6x0y3z5b8c';
const DELIVERY_ID = 'dlv_01kdyak3seqx2as14e42d9kk25';
const ALERT_ID = 'alt_01kdyak3tj2c4e6g8j1m3p5r7t';
const REPLAY_ID = 'rpl_01kdyb0q4t6n8s2f5h7k9m3p1r';
const RUN_ID = 'run_01kdyak3sfm8w6t2c4r0h7v9zn';
const RECONCILIATION_ID = 'rec_01kdyak3se3n5p7q9r1t3v5w7x';
const TOKEN_ID = 'tok_01kc8w5e2gq4s6v8x0z1b3d5f7';
const USER_ID = 'usr_01kc8wb7t3n5p9r1s2v4x6z8a0';
const SESSION_ID = 'ses_01kdy9r5c7e9g1j3m5p7r9t2w4';
/** What GitHub sends as `X-GitHub-Delivery`. */
const SENDER_ID = '72d3162e-cc78-11ee-81ab-4c9367dc0958';
const SENDER_ADDRESS = '192.0.2.7';
const BROWSER_ADDRESS = '198.51.100.24';
const RECEIVED_AT = '2026-01-02T03:04:05.678Z';
const APPLIED_AT = '2026-01-01T16:20:31.402Z';
const CREATED_AT = '2025-11-17T09:12:44.019Z';
const AUTOMATION_FILE = 'automations/triage-issues/automation.md';
const PROMPT = 'Find the cause of the issue in the attached payload and propose a fix.\n';
const PAUSE = {
  factory: 'payments',
  automation: null,
  paused_at: RECEIVED_AT,
  paused_by: { kind: 'local', id: 'usr_01m7yj32yre0ypze8bxjzjg66k', name: 'alice' },
  reason: 'Too many pull requests',
};

const RETRY = { maxAttempts: 3, backoff: '1m' };
const OVERRIDES = { model: 'large', secrets: ['GITHUB_API_KEY'] };
const SCOPE = { webhook: ['payments'], run: [] };
const PAYLOAD = { action: 'opened', issue: { number: 42, title: 'Checkout fails', labels: [{ name: 'bug' }] } };

const nothingPlanned = { create: [], update: [], delete: [] };

const warning = {
  severity: 'warning',
  rule: 'automation/unknown-uid',
  file: AUTOMATION_FILE,
  line: 6,
  column: 22,
  path: 'triggers[0].filter.webhook_ids[0]',
  message: 'no webhook of this factory has the UID wh_0123456789abcdefghjkmnpqrs',
  hint: 'name the webhook under "webhooks", or remove the UID',
};

const commit = {
  subject: 'Start triage for opened issues only',
  author: 'Alice',
  committed_at: '2026-01-02T02:00:00.000Z',
  url: `https://github.com/acme/payments/commit/${COMMIT}`,
};

const PULL_REQUEST = {
  number: 7,
  title: 'Add the webhook deploy',
  url: 'https://github.com/team/payments-factory/pull/7',
  head: '05acf90a4e58b0b1a1f0c1d2e3f405162738495a',
  fork: false,
  state: 'success',
  description: '1 to create',
  checked_at: RECEIVED_AT,
  posts: [
    { kind: 'status', state: 'posted', problem: null },
    { kind: 'comment', state: 'posted', problem: null },
  ],
};

const traffic = {
  last_accepted_at: RECEIVED_AT,
  last_24_hours: { accepted: 412, duplicate: 3, rejected: 5 },
  acceptance_rate: 0.988,
  credential_failing: null,
  rejections: null,
};

const failingTraffic = {
  last_accepted_at: '2025-12-31T03:04:05.678Z',
  last_24_hours: { accepted: 0, duplicate: 0, rejected: 98 },
  acceptance_rate: 0,
  credential_failing: {
    since: '2025-12-31T14:02:00.000Z',
    last_at: RECEIVED_AT,
    count: 214,
    reason: 'bad_signature',
    reason_text: AUTH_REASONS.bad_signature.text,
  },
  rejections: {
    since: '2026-01-01T14:02:00.000Z',
    last_at: RECEIVED_AT,
    count: 98,
    reason: 'bad_signature',
    reason_text: AUTH_REASONS.bad_signature.text,
    examined: 98,
    addresses: ['192.0.2.7'],
    other_addresses: 0,
  },
};

const results = {
  last_run: { id: RUN_ID, state: 'failed', finished_at: '2026-01-02T03:05:06.120Z' },
  recent_runs: 20,
  recent_failed: 3,
  failed_in_a_row: 1,
  failing_since: '2026-01-02T03:05:06.120Z',
};

const webhook = {
  uid: WEBHOOK_UID,
  factory: 'payments',
  name: 'github',
  description: 'Issues and pull requests',
  auth_mode: 'signature',
  signature_scheme: 'github',
  signature: null,
  secret_name: 'GITHUB_WEBHOOK_SECRET',
  secret_state: 'current',
  credential_state: 'current',
  secret_pinned_at: APPLIED_AT,
  rotation_overlap: '0s',
  previous_secret_until: null,
  verify_token_secret_name: null,
  verify_token_state: null,
  body_format: 'json',
  form_field: null,
  delivery_id_header: null,
  delivery_id_path: null,
  expect_every: null,
  deduplicate: true,
  event: null,
  record_headers: [],
  serves: null,
  names: null,
  bot_username: null,
  ignore_actors: ['factory-bot[bot]'],
  identified_by: 'provider',
  served: true,
  enabled: true,
  capture: null,
  ingress_url: `https://hooks.example.com/webhooks/w/${WEBHOOK_UID}`,
  file: 'webhooks/github.yaml',
  revision: COMMIT,
  created_at: CREATED_AT,
  updated_at: APPLIED_AT,
  commit,
  last_delivery_at: RECEIVED_AT,
  traffic,
  deleted_at: null,
};

const unloggedRequests = {
  reason: 'delivery_rate',
  reason_text: UNLOGGED_REASONS.delivery_rate.text,
  status: 429,
  last_hour: 0,
  last_24_hours: 118,
  last_31_days: 118,
  last_at: RECEIVED_AT,
};

const capture = { until: '2026-01-02T03:14:05.678Z', kept: 2 };

const delivery = {
  id: DELIVERY_ID,
  factory: 'payments',
  webhook_uid: WEBHOOK_UID,
  webhook_name: 'github',
  delivery_id: SENDER_ID,
  delivery_id_source: 'provider',
  deduplicated: true,
  event: 'issues.opened',
  summary: 'octo/app · #42 · The build fails · ann',
  headers: { 'user-agent': 'GitHub-Hookshot/044aadd', 'content-type': 'application/json', 'x-github-event': 'issues' },
  label: 'Accepted',
  reason: null,
  reason_text: null,
  detail: null,
  size: 8214,
  count: 1,
  received_at: RECEIVED_AT,
  client_address: SENDER_ADDRESS,
  revision: COMMIT,
  duplicate_of: null,
  replay_of: null,
  replay: null,
  runs: [RUN_ID],
};

const skipped = [{ reason: 'is_replay', reason_text: describeReplaySkip('is_replay'), count: 3 }];

const replay = {
  id: REPLAY_ID,
  factory: 'payments',
  state: 'running',
  delivery: null,
  filter: { event: 'issues', from: '2026-01-01T03:04:05.678Z' },
  automation: null,
  as_of: 'now',
  rate: 10,
  requested_by: { kind: 'token', id: 'tok_01kdy5yw0vq3f9h2m6p8r1s4t7', name: 'ci' },
  created_at: RECEIVED_AT,
  started_at: RECEIVED_AT,
  finished_at: null,
  total: 412,
  examined: 180,
  replayed: 64,
  matched: 60,
  runs: 61,
  error: null,
  skipped,
};

const replayPreview = {
  total: 412,
  examined: 412,
  replayed: 150,
  matched: 141,
  runs: 143,
  skipped,
  automations: [
    {
      automation: 'triage-issues',
      runs: 143,
      examples: [{ delivery: DELIVERY_ID, delivery_id: SENDER_ID, received_at: RECEIVED_AT }],
    },
  ],
  next_cursor: null,
};

const rejectedDelivery = {
  ...delivery,
  id: 'dlv_01kdyb0q4t6n8s2f5h7k9m3p1r',
  delivery_id: null,
  delivery_id_source: null,
  deduplicated: true,
  event: null,
  summary: null,
  headers: { 'user-agent': 'curl/8.5.0' },
  label: 'Rejected (auth)',
  reason: 'bad_signature',
  reason_text: AUTH_REASONS.bad_signature.text,
  runs: [],
};

const runOutput = {
  summary: 'Fixed the flaky test and opened a pull request.',
  links: [{ title: 'Pull request 42', url: 'https://github.com/acme/payments/pull/42' }],
  artifacts: [{ name: 'Test report', path: 'reports/tests.html' }],
  problem: null,
};

const attempt = {
  number: 1,
  state: 'running',
  exit_code: null,
  result: null,
  requested_at: null,
  requested_by: null,
  started_at: '2026-01-02T03:04:06.120Z',
  finished_at: null,
  executor: 'queue',
  worker: 'build-machine',
  log_offset: 0,
  held_until: null,
  progress: { percent: 40, text: 'Reading the issue' },
  reason: null,
  reason_text: null,
};

const failedAttempt = {
  ...attempt,
  state: 'failed',
  exit_code: 1,
  finished_at: '2026-01-02T03:05:06.120Z',
  reason: 'exit_code',
  reason_text: 'The command ended with exit code 1.',
};

const run = {
  id: RUN_ID,
  factory: 'payments',
  automation: 'triage-issues',
  delivery: DELIVERY_ID,
  webhook_uid: WEBHOOK_UID,
  delivery_id: SENDER_ID,
  state: 'running',
  attempt: 1,
  executor: 'queue',
  revision: COMMIT,
  error: null,
  exit_code: null,
  created_at: RECEIVED_AT,
  started_at: '2026-01-02T03:04:06.120Z',
  finished_at: null,
  concurrency_key: null,
  runs_on: null,
  superseded_by: null,
  result: runOutput,
  attempts: [{ ...attempt, result: runOutput }],
  waiting: null,
};

const queuedRun = {
  ...run,
  state: 'queued',
  executor: null,
  started_at: null,
  attempts: [],
  waiting: {
    reason: 'concurrency_limit',
    reason_text: 'runs.concurrency is reached: 4 of 4 slots are in use.',
    position: 2,
  },
};

const runContext = {
  provider: 'github',
  event: 'issue_created',
  events: ['issue_created'],
  provider_event: 'issues.opened',
  repository: 'acme/shop',
  number: 412,
  url: 'https://github.com/acme/shop/issues/412',
  actor: 'ann',
};

const runInput = {
  prompt: PROMPT,
  envelope: renderEnvelope(
    {
      webhook: { name: 'github', uid: WEBHOOK_UID },
      run: { deliveryIdentity: SENDER_ID },
    },
    runContext,
  ),
  attachments: [{ name: PAYLOAD_FILE, size: 8214, media_type: 'application/json' }],
  overrides: OVERRIDES,
  workspace: null,
  event: 'issues.opened',
  context: runContext,
  stands_for: { count: 0, deliveries: [] },
};

const lease = { lease_seconds: 60, lease_expires_at: '2026-01-02T03:05:06.120Z' };

const backtest = {
  since: '2025-12-26T03:04:05.678Z',
  until: RECEIVED_AT,
  stored: 120,
  examined: 120,
  sampled: false,
  automations: [
    {
      automation: 'triage-issues',
      examined: 120,
      before: 14,
      after: 13,
      gained_count: 0,
      lost_count: 1,
      unrecorded: 0,
      gained: [],
      lost: [
        {
          delivery: DELIVERY_ID,
          webhook_uid: WEBHOOK_UID,
          received_at: RECEIVED_AT,
          path: 'action',
          message: 'action is "opened", expected "reopened"',
        },
      ],
    },
  ],
};

const token = {
  id: TOKEN_ID,
  name: 'grafana',
  role: 'viewer',
  factories: ['payments'],
  created_at: CREATED_AT,
  last_used_at: RECEIVED_AT,
  expires_at: '2026-02-15T09:12:44.019Z',
};

const user = {
  id: USER_ID,
  name: 'alice',
  kind: 'local',
  role: 'manager',
  factories: null,
  disabled: false,
  created_at: CREATED_AT,
  last_sign_in_at: RECEIVED_AT,
  password_changed_at: CREATED_AT,
};

const countAll = (names: readonly string[], counted: Record<string, number>) =>
  Object.fromEntries(names.map((name) => [name, counted[name] ?? 0]));

const AUTHOR = { subject: 'Start triage for opened issues only', author: 'Alice', committed_at: APPLIED_AT, url: null };
const SHOWN_COMMIT = { revision: COMMIT, commit: AUTHOR };
const storyStep = {
  outcome: 'note',
  facts: [],
  by: null,
  commit: null,
  changes: [],
  links: [],
  command: null,
  expandable: false,
};
const WEBHOOK_REF = { kind: 'webhook', factory: 'payments', id: WEBHOOK_UID, name: 'github' };
const AUTOMATION_REF = { kind: 'automation', factory: 'payments', id: 'triage-issues', name: 'triage-issues' };
const DELIVERY_REF = { kind: 'delivery', factory: 'payments', id: DELIVERY_ID, name: SENDER_ID };
const RUN_REF = { kind: 'run', factory: 'payments', id: RUN_ID, name: RUN_ID };
const NOT_STARTED = 'triage-issues did not start: action is "edited", expected "opened".';

/** One story of each kind of object. */
const STORIES = [
  {
    subject: DELIVERY_REF,
    answer: `Accepted, but started nothing. ${NOT_STARTED}`,
    steps: [
      {
        ...storyStep,
        at: RECEIVED_AT,
        text: 'github received issues.edited.',
        facts: [{ name: 'Client address', value: SENDER_ADDRESS }],
        links: [WEBHOOK_REF],
      },
      {
        ...storyStep,
        at: RECEIVED_AT,
        outcome: 'ok',
        text: 'The signature verifies with version 2 of GITHUB_WEBHOOK_SECRET.',
      },
      {
        ...storyStep,
        at: RECEIVED_AT,
        text: NOT_STARTED,
        facts: [{ name: 'Key', value: 'action' }],
        commit: SHOWN_COMMIT,
        links: [AUTOMATION_REF],
      },
    ],
    next: [{ purpose: 'Print the payload', command: `dockbell delivery show ${DELIVERY_ID} --payload` }],
  },
  {
    subject: RUN_REF,
    answer:
      'The run of triage-issues is queued. runs.concurrency is reached: 2 of 2 slots are in use. Position 3 in the queue.',
    steps: [{ ...storyStep, at: RECEIVED_AT, text: 'The delivery started triage-issues.', links: [DELIVERY_REF] }],
    next: [{ purpose: 'Cancel it', command: `dockbell run cancel ${RUN_ID}` }],
  },
  {
    subject: WEBHOOK_REF,
    answer: 'github is disabled: senders get 404. It was disabled in commit 5c1f0a9e by Alice ("Pause GitHub").',
    steps: [
      {
        ...storyStep,
        at: APPLIED_AT,
        text: 'github was changed: enabled.',
        by: 'Alice',
        commit: SHOWN_COMMIT,
        changes: [{ key: 'enabled', from: true, to: false }],
      },
    ],
    next: [{ purpose: 'Show its settings', command: 'dockbell webhook show github' }],
  },
  {
    subject: AUTOMATION_REF,
    answer:
      'triage-issues has no runs. The filter asks for the key actoin, which none of the 12 recent deliveries has.',
    steps: [{ ...storyStep, at: APPLIED_AT, text: 'triage-issues was created.', by: 'Alice', commit: SHOWN_COMMIT }],
    next: [{ purpose: 'Show its triggers and prompt', command: 'dockbell automation show triage-issues' }],
  },
  {
    subject: { kind: 'commit', factory: 'payments', id: COMMIT, name: '5c1f0a9e' },
    answer: `Commit 5c1f0a9e by Alice ("${AUTHOR.subject}") is live since ${APPLIED_AT}. 1 run started while it was live.`,
    steps: [
      { ...storyStep, at: APPLIED_AT, outcome: 'ok', text: 'The revision was applied. It changed 1 object.' },
      { ...storyStep, at: RECEIVED_AT, text: 'The run of triage-issues succeeded after 12.3s.', links: [RUN_REF] },
    ],
    next: [{ purpose: 'List the runs that it started', command: 'dockbell run list --revision 5c1f0a9e7d2b' }],
  },
  {
    subject: {
      kind: 'reconciliation',
      factory: 'payments',
      id: RECONCILIATION_ID,
      name: RECONCILIATION_ID,
    },
    answer:
      'Commit 5c1f0a9e is not live. Commit 0b8d6e4a stays live. The definition has errors. webhooks/github.yaml:2:1 unknown key "secert".',
    steps: [{ ...storyStep, at: APPLIED_AT, outcome: 'failed', text: 'The definition has errors.' }],
    next: [
      {
        purpose: 'Show every finding and change',
        command: 'dockbell reconciliation show rec_01kdyak3se3n5p7q9r1t3v5w7x',
      },
    ],
  },
  {
    subject: { kind: 'secret', factory: null, id: 'GITHUB_WEBHOOK_SECRET', name: 'GITHUB_WEBHOOK_SECRET' },
    answer: `GITHUB_WEBHOOK_SECRET was last rotated at ${APPLIED_AT} by alice: version 2.`,
    steps: [
      {
        ...storyStep,
        at: APPLIED_AT,
        text: 'Version 2 of GITHUB_WEBHOOK_SECRET was stored by alice.',
        by: 'alice',
      },
    ],
    next: [
      { purpose: 'List every change of it', command: 'dockbell audit list --object secrets/GITHUB_WEBHOOK_SECRET' },
    ],
  },
] as const;

/** Examples of each named schema, the most usual one first. */
export const COMPONENT_EXAMPLES: Readonly<Record<keyof typeof COMPONENTS, readonly [unknown, ...unknown[]]>> = {
  ForgottenFactory: [{ name: 'payments', cancelled_runs: 2 }],
  Factory: [
    {
      name: 'payments',
      source: {
        type: 'repository',
        url: 'https://git.example.com/payments.git',
        branch: 'main',
        path: '.',
        pull_requests: true,
      },
      configured: true,
      applied_revision: COMMIT,
      applied_commit: commit,
      applied_at: APPLIED_AT,
      attempted_revision: COMMIT,
      attempted_at: APPLIED_AT,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          severity: 'ok',
          reason: 'DefinitionLive',
          reason_text: describeStatusReason('DefinitionLive'),
          message: `serving ${COMMIT}`,
          since: CREATED_AT,
        },
      ],
      counts: { webhooks: 2, automations: 2, queued_runs: 1, running_runs: 1 },
      health: {
        webhooks: [
          { uid: WEBHOOK_UID, name: 'github', enabled: true, traffic },
          { uid: 'wh_2b4d6f8h0k2m4p6r8t1v3x5z7a', name: 'payments', enabled: true, traffic: failingTraffic },
        ],
        failed_automations: [{ name: 'triage-issues', results }],
        queue: [{ automation: 'triage-issues', oldest_queued_at: RECEIVED_AT }],
        replicas_behind: 0,
      },
      pause: PAUSE,
    },
  ],
  Webhook: [{ ...webhook, unlogged_requests: [unloggedRequests] }],
  UnloggedRequests: [unloggedRequests],
  NewWebhook: [
    {
      ...webhook,
      name: 'internal-ci',
      description: 'Results of builds',
      auth_mode: 'token',
      signature_scheme: null,
      secret_name: 'INTERNAL_CI_WEBHOOK_SECRET',
      identified_by: 'service header or body',
      file: 'webhooks/internal-ci.yaml',
      last_delivery_at: null,
      traffic: {
        last_accepted_at: null,
        last_24_hours: { accepted: 0, duplicate: 0, rejected: 0 },
        acceptance_rate: null,
        credential_failing: null,
        rejections: null,
      },
      secret: 'dbs_example',
    },
  ],
  SignatureScheme: [
    {
      name: 'github',
      title: 'GitHub',
      secret_issued: 'user',
      generates_secret: false,
      identities: ['X-GitHub-Delivery'],
      credential_places: ['X-Hub-Signature-256'],
      documentation: 'https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries',
    },
  ],
  Delivery: [delivery, rejectedDelivery],
  Capture: [capture],
  Diagnosis: [
    {
      mistake: 'none',
      sentence: 'The request verifies with the current definition. Ask the sender to retry it.',
      tried: [],
    },
  ],
  Handshake: [
    {
      kind: 'Handshake',
      webhook_uid: WEBHOOK_UID,
      handshake: 'slack url_verification',
      outcome: 'answered',
      detail: null,
      count: 1,
      received_at: RECEIVED_AT,
      client_address: SENDER_ADDRESS,
    },
  ],
  EditorSchema: [{ name: 'webhook', title: 'Webhook', path: '/api/v1/schemas/webhook.json' }],
  FoundId: [{ id: RUN_ID, factory: 'payments' }],
  Story: STORIES,
  Explanation: [
    {
      delivery: DELIVERY_ID,
      decisions: [
        {
          automation: 'triage-issues',
          outcome: 'started',
          run: RUN_ID,
          path: null,
          expected: null,
          actual: null,
          message: 'all filter conditions matched',
        },
        {
          automation: 'review-pull-requests',
          outcome: 'filtered',
          run: null,
          path: 'pull_request',
          expected: true,
          actual: null,
          message: 'pull_request is absent, expected to be present',
        },
      ],
      not_stored: { filtered: 0, disabled: 0, filter_error: 0 },
      next_cursor: null,
    },
  ],
  Automation: [
    {
      name: 'triage-issues',
      results,
      oldest_queued_at: null,
      factory: 'payments',
      description: 'Looks into new issues',
      enabled: true,
      agent: null,
      triggers: [
        {
          provider: 'webhook',
          event: 'received',
          filter: {
            webhook_ids: [],
            webhooks: ['github'],
            headers: { 'X-GitHub-Event': ['issues'] },
            payload: { action: ['opened'] },
          },
          line: 6,
          listens_to: [WEBHOOK_UID],
          handled_elsewhere: false,
        },
        {
          provider: 'github',
          event: 'issue_labeled',
          filter: { labels: ['factory-ready'] },
          listens_to: [WEBHOOK_UID],
          handled_elsewhere: false,
          service: {
            trigger: 'github issue_labeled',
            events: ['X-GitHub-Event: issues, action labeled'],
            starts_here: true,
            served_by: ['github'],
            reason: null,
            note: null,
            repositories: ['acme/payments'],
            names: {},
          },
        },
        {
          provider: 'schedule',
          event: 'cron_fired',
          schedule: { name: 'weekly', cron: '0 6 * * 1' },
          listens_to: [],
          handled_elsewhere: false,
          service: {
            trigger: 'schedule weekly',
            events: [],
            starts_here: true,
            served_by: [],
            reason: null,
            note: null,
            repositories: null,
            names: {},
          },
          ticks: {
            id: 'sch_01j9z3k4m5n6p7q8r9s0t1v2w3',
            name: 'weekly',
            cron: '0 6 * * 1',
            timezone: 'UTC',
            catch_up: 'none',
            next_at: ['2026-03-09T06:00:00.000Z', '2026-03-16T06:00:00.000Z'],
            started_at: '2026-02-27T10:00:00.000Z',
            last_at: '2026-03-02T06:00:00.000Z',
            last_delivery: DELIVERY_ID,
            missed: 0,
            last_missed_at: null,
          },
        },
      ],
      prompt: PROMPT,
      overrides: OVERRIDES,
      pause: null,
      concurrency: { key: 'issue.number' },
      debounce: '30s',
      budget: { runs: 20, per: '1h' },
      retry: RETRY,
      runs_on: ['gpu'],
      workspace: { ref: '{{ pull_request.head.sha }}' },
      file: AUTOMATION_FILE,
      revision: COMMIT,
      commit,
      updated_at: APPLIED_AT,
      warnings: [],
    },
  ],
  FilterResult: [
    {
      verdict: 'Would not trigger',
      trace: [
        {
          path: 'action',
          operator: 'in',
          expected: ['opened'],
          actual: 'closed',
          present: true,
          matched: false,
          message: 'action is "closed", expected "opened"',
        },
      ],
      decided_by: 'action',
      message: 'action is "closed", expected "opened"',
    },
  ],
  Run: [run, queuedRun],
  RunAttempt: [attempt, failedAttempt],
  Replay: [replay],
  ReplayPreview: [replayPreview],
  RunContext: [runContext],
  RunInput: [runInput],
  AgentFile: [{ path: 'agents/triage/agent.md', size: 12, content_base64: 'WW91IHRyaWFnZS4K' }],
  RunPost: [
    {
      attempt: 1,
      target: 'github comment api.github.com',
      repository: null,
      commit: null,
      number: null,
      state: 'skipped',
      problem: 'number: the payload has no text and no whole number at pull_request.number',
      retry_at: null,
      created_at: '2026-01-02T03:04:16.120Z',
    },
  ],
  RunArtifact: [{ number: 1, name: 'Test report', path: 'reports/tests.html', size: 18_230 }],
  RunCount: [{ count: 12, next_cursor: null }],
  RunRetries: [
    {
      retried: 11,
      rejected: [{ run: RUN_ID, reason: 'payload_gone', reason_text: explainRetryRejection('payload_gone') }],
      next_cursor: null,
    },
  ],
  RunLogTimes: [
    {
      data: [
        { offset: 0, at: '2026-01-02T03:04:06.193Z' },
        { offset: 4_096, at: '2026-01-02T03:04:07.201Z' },
      ],
      next_offset: null,
    },
  ],
  ClaimedRun: [
    {
      run,
      webhook: { name: 'github', uid: WEBHOOK_UID },
      agent: null,
      input: runInput,
      trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: null },
      fence: 1,
      secrets: { DEPLOY_TOKEN: 'example-secret-value' },
      checkout: {
        url: 'https://git.example.com/acme/payments.git',
        ref: COMMIT,
        username: 'bot',
        password: 'example-secret-value',
        problem: null,
      },
      timeout_seconds: 1800,
      ...lease,
    },
  ],
  Worker: [
    {
      id: 'wrk_7f3a9c',
      name: 'build-machine',
      token: 'build-machines',
      state: 'online',
      labels: ['gpu', 'linux'],
      concurrency: 2,
      version: '0.2.0',
      factories: ['payments'],
      last_seen_at: '2026-01-02T03:04:16.120Z',
      runs: [
        {
          id: run.id,
          factory: 'payments',
          automation: run.automation,
          attempt: 1,
          started_at: '2026-01-02T03:04:06.120Z',
        },
      ],
    },
  ],
  Lease: [lease],
  Reconciliation: [
    {
      id: 'rec_01kdxf6m9b2d4f6h8k0n1q3s5v',
      factory: 'payments',
      revision: COMMIT,
      commit,
      result: 'applied',
      reason: 'Applied',
      reason_text: describeStatusReason('Applied'),
      message: `applied ${COMMIT}`,
      diagnostics: [warning],
      plan: {
        webhooks: {
          ...nothingPlanned,
          update: [
            {
              name: 'github',
              uid: WEBHOOK_UID,
              restored: false,
              changes: [{ key: 'enabled', from: false, to: true }],
            },
          ],
        },
        automations: nothingPlanned,
      },
      started_at: '2026-01-01T16:20:31.114Z',
      finished_at: APPLIED_AT,
      attempted_at: APPLIED_AT,
    },
  ],
  PlanPreview: [
    {
      factory: 'payments',
      applied_revision: COMMIT,
      applied_commit: commit,
      webhooks: {
        ...nothingPlanned,
        create: [
          {
            name: 'internal-ci',
            uid: null,
            restored: false,
            changes: [
              { key: 'authMode', from: null, to: 'token' },
              { key: 'secretName', from: null, to: 'INTERNAL_CI_WEBHOOK_SECRET' },
            ],
            ingress_url: null,
          },
        ],
      },
      automations: nothingPlanned,
      triggers: [],
      agent_files: { create: [], update: ['skills/logs/SKILL.md'], delete: [] },
      missing_secrets: [{ name: 'INTERNAL_CI_WEBHOOK_SECRET', webhooks: ['internal-ci'], automations: [] }],
      diagnostics: [
        {
          severity: 'error',
          rule: 'secret/missing',
          file: 'webhooks/internal-ci.yaml',
          line: 1,
          column: 13,
          path: 'secretName',
          message:
            'there is no team secret named INTERNAL_CI_WEBHOOK_SECRET that webhooks of the factory payments may use',
          hint: 'create it: dockbell secret create INTERNAL_CI_WEBHOOK_SECRET --factory payments; if "dockbell secret list" shows it, an owner can extend its scope: dockbell secret update INTERNAL_CI_WEBHOOK_SECRET --factory payments --use webhook --add. The apply is then retried automatically',
        },
      ],
      backtest,
    },
  ],
  Backtest: [backtest],
  Activity: [
    {
      factory: 'payments',
      from: '2026-01-02T03:00:00.000Z',
      to: '2026-01-02T04:00:00.000Z',
      bucket: 'hour',
      buckets: [
        {
          start: '2026-01-02T03:00:00.000Z',
          deliveries: countAll(DELIVERY_LABELS, { Accepted: 5, Duplicate: 1 }),
          runs: countAll(RUN_STATES, { running: 1, succeeded: 3 }),
        },
      ],
      webhooks: [{ webhook_uid: WEBHOOK_UID, deliveries: [6] }],
    },
  ],
  PullRequest: [PULL_REQUEST],
  PullRequests: [
    {
      factory: 'payments',
      host: 'github',
      repository: 'team/payments-factory',
      branch: 'main',
      listed_at: RECEIVED_AT,
      problem: null,
      has_more: false,
      data: [PULL_REQUEST],
      next_cursor: null,
    },
  ],
  PayloadKeys: [
    {
      webhook_uid: WEBHOOK_UID,
      examined: 50,
      keys: [
        { path: ['action'], text: 'action', payloads: 50, types: ['string'], examples: ['opened', 'closed'] },
        { path: ['issue', 'number'], text: 'issue.number', payloads: 48, types: ['number'], examples: [42] },
      ],
    },
  ],
  ReconciliationRequested: [{ factory: 'payments', requested_at: RECEIVED_AT }],
  Replica: [
    {
      id: '5c1b8f0e-1b0a-4a57-9b3e-2f6d0f3a8c11',
      name: 'dockbell-0',
      version: '0.2.0',
      role: 'leader',
      alive: true,
      seen_seconds_ago: 1,
      started_at: CREATED_AT,
      ingress_url: 'http://10.0.0.5:8787',
      admin_url: 'http://10.0.0.5:8788',
      behind: [],
    },
  ],
  Ancestry: [{ revision: EARLIER_COMMIT, applied_revision: COMMIT, contained: true }],
  Secret: [
    {
      name: 'GITHUB_WEBHOOK_SECRET',
      version: 2,
      created_at: CREATED_AT,
      updated_at: APPLIED_AT,
      scope: SCOPE,
      used_by: [{ factory: 'payments', webhook: 'github', version: 2 }],
      listed_by: [],
      notify: [],
    },
  ],
  Revision: [{ revision: COMMIT, author: 'alice', message: 'Create the webhook github', created_at: APPLIED_AT }],
  SecretStored: [{ name: 'GITHUB_WEBHOOK_SECRET', version: 2, created: false, scope: SCOPE, warning: null }],
  MasterKeyRotation: [
    {
      state: 'done',
      resealed: 12,
      key_file: '/etc/dockbell/master.key',
      earlier_key_file: '/etc/dockbell/master.key.until-2026-01-02T03-04-05-678Z',
    },
  ],
  Alert: [
    {
      id: ALERT_ID,
      rule: 'runFailed',
      title: 'Run failed',
      severity: 'error',
      state: 'acknowledged',
      factory: 'payments',
      object: { kind: 'automation', name: 'triage-issues', id: 'triage-issues' },
      summary: 'The last 3 of 20 runs failed.',
      advice: ALERT_RULES.runFailed.advice,
      opened_at: RECEIVED_AT,
      last_seen_at: RECEIVED_AT,
      clear_since: null,
      resolved_at: null,
      count: 1,
      acknowledged_at: RECEIVED_AT,
      acknowledged_by: { kind: 'local', id: user.id, name: user.name },
      note: 'The agent has no quota left. I am on it.',
    },
  ],
  AlertTarget: [{ name: 'ops', type: 'slack', problem: null, failing_since: null }],
  AlertTest: [{ target: 'ops', sent: true, problem: null }],
  Token: [token],
  NewToken: [{ ...token, last_used_at: null, token: 'dbk_example' }],
  User: [user],
  AuditEntry: [
    {
      id: 'aud_01kdxf6kzv8y0a2c4e6g8j1m3p',
      at: APPLIED_AT,
      actor: { kind: 'local', id: user.id, name: user.name },
      action: describeAction('PUT', '/api/v1/secrets/:name'),
      method: 'PUT',
      route: '/api/v1/secrets/:name',
      object: 'secrets/GITHUB_WEBHOOK_SECRET',
      changes: { value: '[not shown]' },
      outcome: 'done',
      status: 200,
      client_address: BROWSER_ADDRESS,
    },
  ],
  SignInWays: [{ oidc: { label: 'Example SSO', url: '/auth/oidc/login' } }, { oidc: null }],
  SignedIn: [
    {
      user: { id: user.id, name: user.name, role: user.role, factories: null, kind: 'local' },
      csrf_token: 'example-csrf-token',
      last_event_id: 'a1b2c3d4e5f6-118',
    },
  ],
  Session: [
    {
      id: SESSION_ID,
      current: true,
      client_address: BROWSER_ADDRESS,
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0',
      created_at: '2026-01-02T02:48:10.250Z',
      last_used_at: RECEIVED_AT,
      expires_at: '2026-01-02T14:48:10.250Z',
    },
  ],
  LoginLink: [
    {
      id: 'lnk_01kdyak3t0b2d4f6h8k1n3q5s7',
      url: 'https://dockbell.example.com/login#token=dbl_example',
      expires_at: '2026-01-02T03:19:05.678Z',
    },
  ],
  BackfillAnswer: [{ status: 202, retry_after: null, signature: 'original', delivery: DELIVERY_ID, label: 'Accepted' }],
  ConnectionPlan: [
    {
      provider: 'github',
      target: 'acme/api',
      api_url: 'https://api.github.com',
      action: 'change',
      hook: '12345678',
      in_sync: false,
      fields: [
        {
          field: 'events',
          registered: ['push'],
          wanted: ['issue_comment', 'issues'],
          state: 'change',
          remedy: null,
        },
        {
          field: 'secret',
          registered: ['set, not shown'],
          wanted: ['GITHUB_WEBHOOK_SECRET, version 2'],
          state: 'send',
          remedy: null,
        },
      ],
      needed_by: [{ event: 'issues', automation: 'triage-issues', trigger: 'github issue_labeled' }],
      notes: [],
      secret: { name: 'GITHUB_WEBHOOK_SECRET', version: 2 },
      digest: '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
  ],
  TestDeliveryAnswer: [
    { status: 202, headers: { 'content-type': 'application/json' }, body: `{"delivery_id":"${SENDER_ID}"}` },
  ],
  Pause: [PAUSE],
  Drain: [{ state: 'draining', since: '2026-01-02T03:04:05.678Z', executing_runs: 2, worker_runs: 0 }],
  Reload: [
    {
      applied: ['limits.bodyBytes'],
      restart_required: ['ingress.port'],
      factories: { added: ['billing'], changed: ['payments'], removed: [] },
    },
  ],
  Health: [
    {
      status: 'ok',
      version: '0.2.0',
      commit: '2d7a129fc6d1c36eb06ce8f8655a5480a46c0d11',
      built_at: '2026-01-02T03:00:00.000Z',
      node: '24.21.0',
      sqlite: '3.54.1',
    },
  ],
  Readiness: [
    { ready: true, problems: [], warnings: [] },
    { ready: false, problems: ['the daemon is stopping'], warnings: [] },
  ],
  DoctorReport: [
    {
      checks: ['permissions', 'master-key', 'base-url'],
      findings: [
        {
          severity: 'warning',
          check: 'master-key',
          message: 'the master key /var/lib/dockbell/master.key is in the data directory, next to the database',
          hint: 'A copy of the directory contains all secrets. Move the key to another folder and set masterKeyFile.',
        },
      ],
    },
  ],
  BackupStatus: [
    {
      schedule: {
        every_seconds: 86_400,
        keep: 7,
        dir: '/mnt/backup/dockbell',
        last_success: {
          at: '2026-01-02T03:00:00.000Z',
          file: '/mnt/backup/dockbell/dockbell-4f1c09ae-20260102T030000Z.tar',
          bytes: 73_400_320,
        },
        last_failure: null,
        next_at: '2026-01-03T03:00:00.000Z',
      },
      running: null,
    },
    { schedule: null, running: { phase: 'copying', done_bytes: 41_943_040, total_bytes: 73_400_320 } },
  ],
  Problem: [
    describeProblem('not_found', 'There is no webhook internal-ci in the factory payments.'),
    describeProblem('bad_request', 'The body is not valid: #/role must be one of viewer, operator, manager, owner.', {
      errors: [{ pointer: '#/role', in: 'body', detail: 'must be one of viewer, operator, manager, owner' }],
    }),
  ],
};

/** Example of each path parameter, by the end of the path up to it, and of each required query parameter. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, string | number>> = {
  'assets/{asset}': 'index-B1c2D3e4.js',
  'factories/{factory}': 'payments',
  'ancestry/{revision}': EARLIER_COMMIT,
  'reconciliations/{id}': RECONCILIATION_ID,
  'webhooks/{uid}': WEBHOOK_UID,
  'automations/{name}': 'triage-issues',
  'deliveries/{id}': DELIVERY_ID,
  'alerts/{id}': ALERT_ID,
  'alert-targets/{name}': 'ops',
  'replays/{id}': REPLAY_ID,
  'runs/{id}': RUN_ID,
  'artifacts/{number}': 1,
  'secrets/{name}': 'GITHUB_API_KEY',
  'tokens/{id}': TOKEN_ID,
  'users/{id}': USER_ID,
  'sessions/{id}': SESSION_ID,
  'schemas/{file}': 'webhook.json',
  'why/{ref}': DELIVERY_ID,
  'ids?prefix': RUN_ID.slice(0, 14),
};

/** A named example of a request body. The name is a key of the document; `summary` is for people. */
interface BodyExample {
  summary: string;
  value: unknown;
}

const webhookTrigger = {
  provider: 'webhook',
  event: 'received',
  filter: { webhooks: ['github'], payload: { action: ['opened'] } },
};

const automationBody = {
  description: 'Looks into new issues',
  enabled: true,
  triggers: [webhookTrigger],
  prompt: PROMPT,
  ...OVERRIDES,
};

const bodyBase64 = Buffer.from(JSON.stringify(PAYLOAD)).toString('base64');

/** Examples of each request body by the ID of its operation, the most usual one first. */
export const BODY_EXAMPLES: Readonly<Record<string, Readonly<Record<string, BodyExample>>>> = {
  planFactory: {
    webhook: {
      summary: 'A definition with one webhook',
      value: {
        files: {
          'factory.yaml': 'schemaVersion: v1alpha1\nname: payments\n',
          'webhooks/internal-ci.yaml': 'authMode: token\nsecretName: INTERNAL_CI_WEBHOOK_SECRET\n',
        },
      },
    },
  },
  backtestTriggers: {
    change: {
      summary: 'Other triggers for an automation',
      value: { automation: 'triage-issues', enabled: true, triggers: [webhookTrigger] },
    },
    creation: {
      summary: 'Triggers of an automation that does not exist yet',
      value: { automation: null, triggers: [webhookTrigger] },
    },
  },
  testFilter: {
    filter: {
      summary: 'A filter with a payload',
      value: { filter: { action: ['opened'] }, payload: PAYLOAD },
    },
    automation: {
      summary: 'An automation with a stored delivery',
      value: { automation: 'triage-issues', delivery: DELIVERY_ID },
    },
  },
  createWebhook: {
    generated: {
      summary: 'Bearer token, with a secret that Dockbell generates',
      value: { name: 'internal-ci', auth_mode: 'token', description: 'Results of builds' },
    },
    provider: {
      summary: 'Signature of a provider, with the secret that the provider issued',
      value: {
        name: 'github',
        auth_mode: 'signature',
        signature_scheme: 'github',
        secret_name: 'GITHUB_WEBHOOK_SECRET',
        secret: 'example-secret-value',
      },
    },
  },
  updateWebhook: {
    disabling: { summary: 'Disable the webhook', value: { enabled: false } },
    describing: { summary: 'Change the description', value: { description: 'Issues and pull requests' } },
  },
  rotateWebhookSecret: {
    generated: { summary: 'Dockbell generates the new secret', value: {} },
    given: { summary: 'The provider issued the new secret', value: { secret: 'example-secret-value' } },
  },
  setWebhookSecret: {
    given: {
      summary: 'The secret that the provider issued for the URL',
      value: { secret: 'example-secret-value' },
    },
  },
  sendTestDelivery: {
    payload: {
      summary: 'A payload with a delivery ID',
      value: { payload_base64: bodyBase64, delivery_id: 'test-1' },
    },
  },
  backfillDelivery: {
    github: {
      summary: 'A delivery from the API of GitHub',
      value: {
        delivery_id: SENDER_ID,
        headers: {
          'X-GitHub-Event': 'issues',
          'X-GitHub-Delivery': SENDER_ID,
          'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
        },
        payload: '{"action":"opened"}',
      },
    },
  },
  planConnection: {
    github: {
      summary: 'A repository of GitHub',
      value: { provider: 'github', target: 'acme/api', token: 'example-token' },
    },
    gitlab: {
      summary: 'A group of a self-managed GitLab',
      value: {
        provider: 'gitlab',
        target: 'acme',
        token: 'example-token',
        api_url: 'https://gitlab.example.com/api/v4',
      },
    },
    linear: { summary: 'A team of Linear', value: { provider: 'linear', target: 'ENG', token: 'example-token' } },
  },
  applyConnection: {
    github: {
      summary: 'The confirmed difference',
      value: {
        provider: 'github',
        target: 'acme/api',
        token: 'example-token',
        digest: '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
    },
  },
  openCapture: { tenMinutes: { summary: 'Open for ten minutes', value: { for_seconds: 600 } } },
  pauseFactory: { why: { summary: 'With the reason', value: { reason: 'Too many pull requests' } } },
  pauseAutomation: { why: { summary: 'With the reason', value: { reason: 'It opens too many issues' } } },
  replayDelivery: {
    all: { summary: 'For all automations', value: { automation: null } },
    one: { summary: 'For one automation', value: { automation: 'triage-issues' } },
  },
  createReplay: {
    filter: { summary: 'All events of issues since a time', value: { event: 'issues', from: RECEIVED_AT, rate: 10 } },
    delivery: {
      summary: 'One delivery, with the definition of that time',
      value: { delivery: DELIVERY_ID, as_of: 'then' },
    },
  },
  createAutomation: {
    automation: { summary: 'Start on new issues', value: { name: 'triage-issues', ...automationBody } },
  },
  downloadBackup: {
    data: { summary: 'Without run logs and without the master key', value: {} },
    logs: { summary: 'With run logs', value: { logs: true } },
  },
  renameFactory: { rename: { summary: 'The configuration names it web-shop', value: { to: 'web-shop' } } },
  putAutomation: { automation: { summary: 'Start on new issues', value: automationBody } },
  claimRuns: {
    any: { summary: 'One run of any factory', value: {} },
    factory: { summary: 'At most five runs of one factory', value: { factory: 'payments', limit: 5 } },
    wait: {
      summary: 'Wait for a run that a worker with a GPU can execute',
      value: {
        wait_seconds: 30,
        worker: { id: 'wrk_7f3a9c', name: 'build-machine', labels: ['gpu'] },
        secrets: true,
        holding: [],
      },
    },
  },
  retryRuns: {
    failed: { summary: 'Everything that failed', value: { dead_letter: true } },
    automation: {
      summary: 'What one automation could not do since a time',
      value: { state: 'failed', automation: 'triage-issues', since: RECEIVED_AT },
    },
  },
  recordRunStart: { start: { summary: 'Before the work starts', value: { fence: 1 } } },
  handRunBack: { stopping: { summary: 'The worker stops', value: { fence: 1, reason: 'the worker is stopping' } } },
  storeRunArtifact: {
    whole: {
      summary: 'A small file in one part',
      value: { fence: 1, size: 5, offset: 0, content_base64: 'aGVsbG8=' },
    },
  },
  renewRunLease: { output: { summary: 'With new output', value: { fence: 1, log: 'Reading the issue\n' } } },
  completeRun: {
    succeeded: { summary: 'The run succeeded', value: { fence: 1, state: 'succeeded', exit_code: 0 } },
    failed: {
      summary: 'The run failed',
      value: { fence: 1, state: 'failed', error: 'The agent exited with code 1.', exit_code: 1 },
    },
  },
  acknowledgeAlert: {
    noted: { summary: 'With a note', value: { note: 'The agent has no quota left. I am on it.' } },
    plain: { summary: 'Without a note', value: {} },
  },
  putSecret: {
    value: { summary: 'A value', value: { value: 'example-secret-value' } },
    scoped: {
      summary: 'A value for the webhooks of one factory',
      value: { value: 'example-secret-value', factories: ['payments'], uses: ['webhook'] },
    },
    scope: {
      summary: 'One more factory, without a new value',
      value: { factories: ['billing'], uses: ['run'], add: true },
    },
  },
  diagnoseRequest: {
    request: {
      summary: 'A request as it was sent',
      value: {
        scheme: 'github',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
        body_base64: bodyBase64,
        received_at: RECEIVED_AT,
      },
    },
  },
  rotateMasterKey: { key: { summary: 'A new key', value: { new_key: Buffer.alloc(32).toString('base64') } } },
  createToken: {
    limited: {
      summary: 'Limited to one factory',
      value: { name: 'grafana', role: 'viewer', factories: ['payments'] },
    },
    unlimited: { summary: 'For all factories', value: { name: 'deploy', role: 'operator' } },
    worker: {
      summary: 'For a worker, for a year',
      value: { name: 'build-machine', role: 'worker', factories: ['payments'], expires_in: '365d' },
    },
  },
  createUser: {
    user: {
      summary: 'A user of all factories',
      value: { name: 'alice', role: 'manager', factories: null, password: 'correct horse battery staple' },
    },
  },
  updateUser: {
    role: { summary: 'Change the role', value: { role: 'operator' } },
    disabling: { summary: 'Disable the user', value: { disabled: true } },
  },
  signIn: {
    password: {
      summary: 'Name and password',
      value: { username: 'alice', password: 'correct horse battery staple' },
    },
    loginLink: { summary: 'Token of a login link', value: { login_token: 'dbl_example' } },
    apiToken: { summary: 'API token', value: { api_token: 'dbk_example' } },
  },
  changeOwnPassword: {
    change: {
      summary: 'A new password',
      value: { current_password: 'correct horse battery staple', new_password: 'staple battery horse correct' },
    },
  },
  revertFactory: { revision: { summary: 'Back to a revision', value: { revision: EARLIER_COMMIT } } },
};

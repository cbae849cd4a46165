import { LOOP_GUARD } from '../words/runs.ts';

/** What a rule is set to in `dockbell.yaml`: `on`, `off`, or its threshold. */
export type RuleSetting =
  | { kind: 'toggle' }
  /** `on` stands for the threshold `on`. Durations are in milliseconds. */
  | { kind: 'threshold'; of: 'duration' | 'count' | 'percent'; min: number; max: number; on: number };

/** What an alert of a rule is about. `daemon`: the whole installation. */
export type AlertSubject = 'daemon' | 'factory' | 'webhook' | 'automation' | 'token';

interface AlertRuleRow {
  title: string;
  setting: RuleSetting;
  default: 'on' | 'off';
  /** `error`: something does not work. `warning`: something will stop working, or needs a look. */
  severity: 'error' | 'warning';
  about: AlertSubject;
  /** When it opens and when it ends, as sentences. */
  opens: string;
  ends: string;
  /** What to do. Part of every alert. */
  advice: string;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Period in which rejected and rate-limited requests are counted. */
export const REQUEST_WINDOW_MS = 5 * MINUTE_MS;
/** Period in which dead letters are counted. */
export const DEAD_LETTER_WINDOW_MS = DAY_MS;
/** A failure rate needs this number of ended runs. */
export const MIN_RATED_RUNS = 5;

/** The rules. The options in `dockbell.yaml`, the evaluation, the API and the documentation follow from this table. */
export const ALERT_RULES = {
  applyFailed: {
    title: 'Apply failed',
    setting: { kind: 'toggle' },
    default: 'on',
    severity: 'error',
    about: 'factory',
    opens:
      'The last reconciliation of a factory did not apply its revision, except if the factory was never applied and only waits for a secret.',
    ends: 'A revision is applied.',
    advice: "The last good definition stays live. See the findings with 'dockbell reconciliation show last'.",
  },
  runFailed: {
    title: 'Run failed',
    setting: { kind: 'threshold', of: 'count', min: 1, max: 20, on: 1 },
    default: 'on',
    severity: 'error',
    about: 'automation',
    opens: 'The last runs of an automation failed: this number in a row, after their retries.',
    ends: 'A run of the automation succeeds.',
    advice: "Read the output with 'dockbell run log', then start the run again with 'dockbell run retry'.",
  },
  failureRate: {
    title: 'Failure rate',
    setting: { kind: 'threshold', of: 'percent', min: 1, max: 100, on: 50 },
    default: 'off',
    severity: 'warning',
    about: 'automation',
    opens: `This share of the last 20 runs of an automation failed, once at least ${MIN_RATED_RUNS} have ended.`,
    ends: 'The share is lower.',
    advice: "List the failed runs with 'dockbell run list --dead-letter'.",
  },
  loopGuard: {
    title: 'Loop guard',
    setting: { kind: 'toggle' },
    default: 'on',
    severity: 'warning',
    about: 'automation',
    opens: `A delivery did not start an automation, because it has had the maximum number of runs for the same issue, pull request or thread (\`limits.loopGuardRuns\`).`,
    ends: `No delivery was held back for ${LOOP_GUARD.windowMs / MINUTE_MS} minutes.`,
    advice:
      "Find out what triggers the automation with 'dockbell why'. If it is the agent itself, add its account to ignoreActors of the webhook.",
  },
  deadLetter: {
    title: 'Dead letters',
    setting: { kind: 'threshold', of: 'count', min: 1, max: 1000, on: 10 },
    default: 'on',
    severity: 'error',
    about: 'factory',
    opens: 'This number of runs failed in the last 24 hours, and nobody retried them.',
    ends: 'Fewer such runs exist: they were retried, or are older.',
    advice: "Fix the cause, then start them again with 'dockbell run retry --dead-letter'.",
  },
  rejectionBurst: {
    title: 'Rejected requests',
    setting: { kind: 'threshold', of: 'count', min: 1, max: 100_000, on: 10 },
    default: 'on',
    severity: 'error',
    about: 'webhook',
    opens: 'A webhook rejected this number of requests within 5 minutes: wrong credential, invalid or too large body.',
    ends: 'Fewer requests were rejected in the last 5 minutes.',
    advice: "Find the cause with 'dockbell diagnose', for example a secret that differs from that of the sender.",
  },
  rateLimited: {
    title: 'Rate limited',
    setting: { kind: 'threshold', of: 'count', min: 1, max: 100_000, on: 1 },
    default: 'on',
    severity: 'warning',
    about: 'webhook',
    opens: 'This number of requests to a webhook exceeded the delivery rate within 5 minutes and got 429.',
    ends: 'Fewer requests exceeded the rate in the last 5 minutes.',
    advice:
      'Raise limits.deliveriesPerMinute (limits.providerDeliveriesPerMinute if the webhook serves a provider), or make the sender send less. Senders that retry lose nothing.',
  },
  silent: {
    title: 'Sender silent',
    setting: { kind: 'toggle' },
    default: 'on',
    severity: 'error',
    about: 'webhook',
    opens: 'A webhook with expectEvery accepted no delivery for that time.',
    ends: 'A delivery is accepted.',
    advice: "Check the webhook settings of the sender, and the URL with 'dockbell doctor'.",
  },
  probe: {
    title: 'Public URL',
    setting: { kind: 'threshold', of: 'duration', min: SECOND_MS, max: DAY_MS, on: 15 * MINUTE_MS },
    default: 'on',
    severity: 'error',
    about: 'daemon',
    opens:
      'Two requests in a row through baseUrl did not reach this daemon. Dockbell sends one after each apply and in this interval. Without baseUrl, it sends none.',
    ends: 'A request reaches this daemon.',
    advice: "Check DNS, the certificate, the proxy and the firewall. 'dockbell doctor' makes the same request.",
  },
  queueAge: {
    title: 'Queue age',
    setting: { kind: 'threshold', of: 'duration', min: SECOND_MS, max: 30 * DAY_MS, on: 15 * MINUTE_MS },
    default: 'on',
    severity: 'warning',
    about: 'factory',
    opens: 'The oldest run that only waits for a free slot has waited for this time.',
    ends: 'No such run has waited for this time.',
    advice: 'Raise runs.concurrency, start more workers, or find out why runs take long.',
  },
  notifyFailing: {
    title: 'Git host or receiver',
    setting: { kind: 'threshold', of: 'duration', min: SECOND_MS, max: 30 * DAY_MS, on: 15 * MINUTE_MS },
    default: 'on',
    severity: 'warning',
    about: 'factory',
    opens:
      'For this time, checks of pull requests, commit statuses or results of runs did not reach their git host or receiver, or were rejected.',
    ends: 'The last request to each of them succeeded.',
    advice:
      "See 'dockbell status' and 'dockbell pull-request list'. Check the address, the team secret and the rights of its token. A new value of the secret is used immediately.",
  },
  disk: {
    title: 'Disk space',
    setting: { kind: 'threshold', of: 'percent', min: 1, max: 99, on: 10 },
    default: 'on',
    severity: 'error',
    about: 'daemon',
    opens: 'Less than this share of the file system of dataDir or runsDir is free.',
    ends: 'More is free.',
    advice: 'Free some space there, or shorten the retention. Deliveries are rejected when the disk is full.',
  },
  backupOverdue: {
    title: 'Backup overdue',
    setting: { kind: 'toggle' },
    default: 'on',
    severity: 'error',
    about: 'daemon',
    opens: 'The last scheduled backup failed, or is older than it may be.',
    ends: 'A scheduled backup is stored.',
    advice: "Fix the reported problem, or make a backup now with 'dockbell backup FILE'.",
  },
  tokenExpiring: {
    title: 'Token expires',
    setting: { kind: 'threshold', of: 'duration', min: 60 * MINUTE_MS, max: 365 * DAY_MS, on: 14 * DAY_MS },
    default: 'on',
    severity: 'warning',
    about: 'token',
    opens: 'An API token expires within this time.',
    ends: 'The token was revoked, or has expired.',
    advice: "Create a new token with 'dockbell token create', replace the old one where it is used, and revoke it.",
  },
} as const satisfies Readonly<Record<string, AlertRuleRow>>;

export type AlertRule = keyof typeof ALERT_RULES;
export const ALERT_RULE_NAMES = Object.keys(ALERT_RULES) as AlertRule[];

/** What the rules are set to: `false` if off, `true` if on, or the threshold. */
export type RuleSettings = {
  readonly [Rule in AlertRule]: (typeof ALERT_RULES)[Rule]['setting'] extends { kind: 'toggle' }
    ? boolean
    : number | false;
};

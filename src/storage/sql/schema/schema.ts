import type { Generated } from 'kysely';
import type { GuardedRow } from '../deliveries/loop-guard.ts';
import type { TableOf } from './columns.ts';
import type {
  ALERT_MESSAGES,
  ALERT_NOTICES,
  ALERTS,
  AUDIT_ENTRIES,
  AUTOMATION_VERSIONS,
  AUTOMATIONS,
  COMMITS,
  CONTENTS,
  DELIVERIES,
  FACTORIES,
  HANDSHAKES,
  IDENTITIES,
  KEPT_ANSWERS,
  LISTENERS,
  LIVE_FILES,
  LOGIN_LINKS,
  NOTICES,
  PAUSES,
  RECONCILIATIONS,
  REPLAYS,
  RUN_ATTEMPTS,
  RUNS,
  SCHEDULES,
  SECRET_SCOPES,
  SECRET_VERSIONS,
  SESSIONS,
  TOKENS,
  USERS,
  WEBHOOKS,
} from './tables.ts';

/**
 * The tables as the query builder knows them: the columns of the domain's fields, from `tables.ts`, and
 * the columns that only the storage uses.
 */
export interface Schema {
  factories: TableOf<typeof FACTORIES> & {
    created_at: number;
    /** Number of applies. */
    applies: Generated<number>;
    /** `null` unless the factory was forgotten. */
    forgotten_at: Generated<number | null>;
  };
  webhooks: TableOf<typeof WEBHOOKS> & {
    /** Time from which no definition gets this UID; `null` for webhooks of a factory that was not forgotten. */
    forgotten_at: Generated<number | null>;
  };
  /** The folders of `factory` are to be moved to another name, or removed if it is `null`. */
  folder_changes: { factory: string; moved_to: string | null };
  automations: TableOf<typeof AUTOMATIONS>;
  automation_versions: TableOf<typeof AUTOMATION_VERSIONS> & {
    version: Generated<number>;
    factory: string;
    name: string;
    digest: string;
  };
  /** Which automations listened to which webhook, and how, from an apply until another. */
  listener_history: TableOf<typeof LISTENERS> & {
    factory: string;
    first_apply: number;
    /** The first apply after which the row does not apply; `null` if it is live. */
    end_apply: number | null;
    ended_at: number | null;
  };
  /** The agent files that the runs of a revision get. A revision without any has no row. */
  agent_file_revisions: { factory: string; revision: string; file_set: number };
  agent_file_sets: { id: Generated<number>; factory: string; digest: string };
  agent_files: { file_set: number; path: string; digest: string; size: number };
  agent_file_contents: { factory: string; digest: string; bytes: Uint8Array };
  reconciliations: Numbered & TableOf<typeof RECONCILIATIONS>;
  commits: TableOf<typeof COMMITS> & { factory: string; revision: string };
  live_revisions: { factory: string; revision: number };
  live_files: TableOf<typeof LIVE_FILES> & { factory: string };

  identities: Numbered & TableOf<typeof IDENTITIES>;
  deliveries: Numbered & TableOf<typeof DELIVERIES>;
  delivery_contents: TableOf<typeof CONTENTS>;
  /** The deliveries of each webhook and label, in the order of their numbers. */
  delivery_listing: { webhook: number; label: number; seq: number };
  /** The delivery IDs of requests over the delivery rate. `delivery` is the `seq` of the row that stands for them. */
  limited_delivery_ids: { delivery: number; identity: string };
  delivery_counts: {
    webhook: number;
    /** Wall time in whole hours since the epoch. */
    hour: number;
    label: number;
    /** Number of requests. A row of the log that stands for several counts them all; replays do not count. */
    count: number;
  };
  /** Requests that were answered without a row in `deliveries`. */
  unlogged_counts: {
    webhook: number;
    /** Wall time in whole periods of `UNLOGGED_PERIOD_MS` since the epoch. */
    period: number;
    reason: string;
    count: number;
    last_at: number;
  };
  /** The outcome of the requests of each webhook with traffic, up to `delivery_listing_end`. Outlives the log. */
  webhook_traffic: {
    webhook: number;
    last_accepted_at: number | null;
    /** The last request with an accepted credential. */
    authenticated_at: number | null;
    /** The first later request that its credential made fail; `null` if none. */
    failing_since: number | null;
    /** The last of these requests. */
    failed_at: number | null;
    /** Number of these requests. */
    failures: number;
    /** Why the last of these requests failed. */
    reason: string | null;
  };
  handshakes: Numbered & TableOf<typeof HANDSHAKES>;
  replays: Numbered & TableOf<typeof REPLAYS>;
  /** How far each schedule of the live automations is. */
  schedules: TableOf<typeof SCHEDULES>;

  runs: Numbered &
    TableOf<typeof RUNS> & {
      /** `AppliedAutomation.version`. */
      version: number;
      /** `seq` of the row in `deliveries`. */
      delivery: number;
      /** `AppliedWebhook.ref`. */
      webhook: number;
      /** `textOfOutput` of `output`. */
      output_text: Generated<string | null>;
      /** As `DeliveryOffer.subject`. */
      subject: Generated<string | null>;
    };

  /** The attempts that started or were requested, the last one included. `run` is the `seq` of its run. */
  run_attempts: TableOf<typeof RUN_ATTEMPTS> & {
    run: number;
    /** As `OfAttempt.machine`. */
    machine: Generated<string | null>;
  };

  /** Tokens of receivers. `run` is the `seq` of its run. */
  run_tokens: Numbered & { hash: Uint8Array; run: number; attempt: number };
  /** The starts that count for the budget of an automation, or of the factory if `automation` is empty. */
  budget_starts: { factory: string; automation: string; started_at: number; run: number };
  /** The automations with runs that wait for their budget, and when it may allow a start. */
  budget_waits: { factory: string; automation: string; opens_at: number };
  /** What the loop guard did not start, for alerts. */
  loop_guards: GuardedRow;
  pauses: TableOf<typeof PAUSES>;

  /** How the last runs of each automation ended. Outlives the runs, and ends with the automation. */
  automation_results: {
    factory: string;
    automation: string;
    /** ID of the run that ended last, its state and the time. */
    last_run: string;
    last_state: string;
    last_finished_at: number;
    /** The results of the last runs that were not cancelled, newest first: `s` for succeeded, `f` for failed. */
    recent: string;
    /** Number of `f` in `recent`. */
    failures: number;
    /** Number of runs that ended in each state. */
    succeeded_total: number;
    failed_total: number;
    cancelled_total: number;
    /** When the first run failed after the last one that succeeded; `null` if the last one succeeded. */
    failing_since: number | null;
  };

  users: TableOf<typeof USERS> & {
    /** Unique: kind and lower-case name, or kind, issuer and subject. */
    identity: string;
    password_hash: string | null;
  };
  tokens: TableOf<typeof TOKENS> & Hashed;
  sessions: TableOf<typeof SESSIONS> & Hashed;
  login_links: TableOf<typeof LOGIN_LINKS> & Hashed;
  audit_log: Numbered & TableOf<typeof AUDIT_ENTRIES>;
  /** The object of an entry and every object that contains it. */
  audit_objects: { object: string; entry: number };

  notices: Numbered & TableOf<typeof NOTICES>;
  alerts: Numbered & TableOf<typeof ALERTS>;
  alert_notices: Numbered & TableOf<typeof ALERT_NOTICES>;
  alert_messages: Numbered & TableOf<typeof ALERT_MESSAGES>;
  secret_names: TableOf<typeof SECRET_SCOPES> & {
    name: string;
    last_version: number;
    newest_version: number | null;
    created_at: number;
    updated_at: number;
  };
  secret_versions: TableOf<typeof SECRET_VERSIONS> & {
    /** The retention pass that first found the version unused; `null` while it is the newest or pinned. */
    unused_since: number | null;
  };
  kept_answers: TableOf<typeof KEPT_ANSWERS>;
  settings: { key: string; value: Uint8Array };
}

/** Row numbers rise with time. */
interface Numbered {
  seq: Generated<number>;
}

/** SHA-256 of the credential, which is not stored itself. */
interface Hashed {
  hash: Uint8Array;
}

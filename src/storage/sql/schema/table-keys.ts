import type { Schema } from './schema.ts';

/** `delivery_listing` is a table of SQLite only: PostgreSQL derives it. The query builder does not know `delivery_listing_end`. */
type StoredTable = Exclude<keyof Schema, 'delivery_listing'>;

/**
 * Every table with the columns of its primary key. A table follows those that it refers to. What is missing here is not
 * copied to another database.
 */
export const TABLE_KEYS = {
  settings: ['key'],
  factories: ['name'],
  folder_changes: ['factory'],
  live_revisions: ['factory'],
  live_files: ['factory', 'path'],
  webhooks: ['ref'],
  automation_versions: ['version'],
  automations: ['factory', 'name'],
  automation_results: ['factory', 'automation'],
  listener_history: ['webhook', 'automation', 'first_apply'],
  reconciliations: ['seq'],
  commits: ['factory', 'revision'],
  agent_file_revisions: ['factory', 'revision'],
  agent_file_sets: ['id'],
  agent_files: ['file_set', 'path'],
  agent_file_contents: ['factory', 'digest'],
  secret_names: ['name'],
  secret_versions: ['name', 'version'],
  users: ['id'],
  tokens: ['id'],
  login_links: ['id'],
  sessions: ['id'],
  kept_answers: ['key'],
  audit_log: ['seq'],
  audit_objects: ['object', 'entry'],
  deliveries: ['seq'],
  delivery_contents: ['delivery'],
  identities: ['seq'],
  limited_delivery_ids: ['delivery', 'identity'],
  delivery_listing_end: ['seq'],
  delivery_counts: ['webhook', 'hour', 'label'],
  webhook_traffic: ['webhook'],
  unlogged_counts: ['webhook', 'period', 'reason'],
  handshakes: ['seq'],
  replays: ['seq'],
  schedules: ['factory', 'automation', 'name'],
  runs: ['seq'],
  run_attempts: ['run', 'number'],
  run_tokens: ['seq'],
  budget_starts: ['factory', 'automation', 'started_at', 'run'],
  budget_waits: ['factory', 'automation'],
  loop_guards: ['factory', 'automation', 'subject'],
  pauses: ['factory', 'automation'],
  notices: ['seq'],
  alerts: ['seq'],
  alert_notices: ['seq'],
  alert_messages: ['seq'],
} as const satisfies { readonly [Table in StoredTable]: readonly (keyof Schema[Table] & string)[] } & {
  delivery_listing_end: readonly ['seq'];
};

export type TableName = keyof typeof TABLE_KEYS;

export const TABLE_NAMES = Object.keys(TABLE_KEYS) as TableName[];

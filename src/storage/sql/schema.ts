import type { Generated } from 'kysely';

/** The tables of `migrations.ts` as the query builder knows them. Instants are wall time in milliseconds. */
export interface Schema {
  factories: {
    name: string;
    applied_revision: string | null;
    applied_at: number | null;
    applied_source: string | null;
    attempted_revision: string | null;
    attempted_at: number | null;
    conditions: Generated<string>;
    created_at: number;
  };
  webhooks: {
    ref: Generated<number>;
    uid: string;
    factory: string;
    name: string;
    file: string;
    description: string | null;
    auth_mode: string;
    signature_scheme: string | null;
    /** JSON. */
    signature: string | null;
    secret_name: string;
    secret_version: number;
    verify_token_secret_name: string | null;
    verify_token_secret_version: number | null;
    delivery_id_header: string | null;
    enabled: number;
    revision: string | null;
    created_at: number;
    updated_at: number;
    deleted_at: number | null;
  };
  automation_versions: {
    version: Generated<number>;
    factory: string;
    name: string;
    digest: string;
    prompt: string;
    agent: string | null;
    overrides: string;
  };
  automations: {
    factory: string;
    name: string;
    file: string;
    description: string | null;
    enabled: number;
    triggers: string;
    listens_to: string;
    version: number;
    revision: string | null;
    updated_at: number;
    warnings: Generated<string>;
  };
  reconciliations: {
    seq: Generated<number>;
    id: string;
    factory: string;
    revision: string | null;
    result: string;
    reason: string;
    message: string;
    diagnostics: string;
    plan: string;
    started_at: number;
    finished_at: number;
    attempted_at: number;
  };
  identities: {
    seq: Generated<number>;
    webhook: number;
    source: number;
    key: string;
    delivery: string;
    body_hash: Uint8Array;
    accepted_at: number;
  };
  deliveries: {
    seq: Generated<number>;
    id: string;
    webhook: number;
    label: number;
    reason: string | null;
    detail: string | null;
    identity_source: number | null;
    identity: string | null;
    size: number;
    count: Generated<number>;
    received_at: number;
    client_address: string;
    revision: string | null;
    duplicate_of: string | null;
    replay_of: string | null;
  };
  delivery_counts: {
    webhook: number;
    /** Wall time in whole hours since the epoch. */
    hour: number;
    label: number;
    /** Requests, those that one row of the log sums up counted each; replays left out. */
    count: number;
  };
  delivery_contents: {
    delivery: number;
    body: Uint8Array;
    decisions: string;
  };
  handshakes: {
    seq: Generated<number>;
    webhook: number;
    handshake: string;
    outcome: number;
    detail: string | null;
    count: number;
    received_at: number;
    client_address: string;
  };
  notices: {
    seq: Generated<number>;
    id: string;
    factory: string;
    target: string;
    revision: string;
    outcome: string;
    /** JSON. */
    report: string;
    state: Generated<string>;
    attempts: Generated<number>;
    due_at: number;
    problem: string | null;
    failing_since: number | null;
    created_at: number;
  };
  runs: {
    seq: Generated<number>;
    id: string;
    factory: string;
    automation: string;
    version: number;
    delivery: number;
    delivery_id: string;
    delivery_identity: string;
    webhook: number;
    state: Generated<string>;
    attempt: Generated<number>;
    executor: string | null;
    revision: string | null;
    error: string | null;
    exit_code: number | null;
    created_at: number;
    started_at: number | null;
    finished_at: number | null;
  };
  secret_names: {
    name: string;
    last_version: number;
    newest_version: number | null;
    created_at: number;
    updated_at: number;
  };
  secret_versions: { name: string; version: number; sealed: Uint8Array; created_at: number };
  settings: { key: string; value: Uint8Array };
  kept_answers: { key: Uint8Array; sealed: Uint8Array; kept_at: number };
  live_revisions: { factory: string; revision: number };
  live_files: { factory: string; path: string; text: string; uid: string | null };
  tokens: {
    id: string;
    name: string;
    role: string;
    factories: string | null;
    hash: Uint8Array;
    created_at: number;
    last_used_at: number | null;
  };
  users: {
    id: string;
    /** What tells them apart: kind and name in small letters, or kind, issuer and subject. */
    identity: string;
    kind: string;
    name: string;
    role: string;
    factories: string | null;
    password_hash: string | null;
    password_changed_at: number | null;
    disabled_at: number | null;
    created_at: number;
    last_sign_in_at: number | null;
  };
  sessions: {
    id: string;
    hash: Uint8Array;
    user: string | null;
    token: string | null;
    link: string | null;
    client_address: string;
    user_agent: string | null;
    created_at: number;
    last_used_at: number;
    expires_at: number;
  };
  login_links: { id: string; hash: Uint8Array; origin: string; created_at: number; expires_at: number };
  audit_log: {
    seq: Generated<number>;
    id: string;
    at: number;
    actor_kind: string | null;
    actor: string | null;
    actor_name: string | null;
    method: string;
    route: string;
    object: string;
    /** JSON. */
    changes: string | null;
    status: number;
    client_address: string;
  };
  audit_objects: { object: string; entry: number };
}

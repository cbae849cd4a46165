import type { Diagnostic } from '../core/diagnostic.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { RunView } from '../core/present-run.ts';

// What the management API answers, in its own words (interfaces, "HTTP").

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  since: string;
}

export interface Factory {
  name: string;
  source: { type: string; url: string | null; branch: string | null; path: string | null } | null;
  applied_revision: string | null;
  applied_at: string | null;
  attempted_revision: string | null;
  attempted_at: string | null;
  conditions: Condition[];
  counts: Record<string, number>;
}

export interface PlanEntry {
  name: string;
  uid: string | null;
  restored: boolean;
  changes: { key: string; from: Json; to: Json }[];
}

export interface PlanSection {
  create: PlanEntry[];
  update: PlanEntry[];
  delete: PlanEntry[];
}

export interface BacktestExample {
  delivery: string;
  webhook_uid: string;
  received_at: string;
  path: string | null;
  message: string;
}

export interface PlanPreview {
  factory: string;
  applied_revision: string | null;
  webhooks: Record<keyof PlanSection, (PlanEntry & { ingress_url: string | null })[]>;
  automations: PlanSection;
  missing_secrets: { name: string; webhooks: string[]; automations: string[] }[];
  diagnostics: Diagnostic[];
  backtest: {
    since: string;
    until: string;
    stored: number;
    examined: number;
    sampled: boolean;
    automations: {
      automation: string;
      examined: number;
      before: number;
      after: number;
      gained_count: number;
      lost_count: number;
      gained: BacktestExample[];
      lost: BacktestExample[];
    }[];
  };
}

export interface Reconciliation {
  id: string;
  factory: string;
  revision: string | null;
  result: 'applied' | 'unchanged' | 'invalid' | 'failed';
  reason: string;
  message: string;
  diagnostics: Diagnostic[];
  plan: { webhooks: PlanSection; automations: PlanSection };
  started_at: string;
  finished_at: string;
  attempted_at: string;
}

/** Rejected requests that the daemon keeps for a diagnosis. */
export interface Capture {
  until: string;
  kept: number;
}

export interface Diagnosis {
  mistake: string | null;
  sentence: string;
  tried: string[];
}

export type SecretState = 'current' | 'outdated' | 'missing';

export interface Webhook {
  uid: string;
  factory: string;
  name: string;
  description: string | null;
  auth_mode: 'token' | 'url_token' | 'signature';
  signature_scheme: string | null;
  signature: JsonObject | null;
  secret_name: string;
  /** The worse of the two below. */
  secret_state: SecretState;
  credential_state: SecretState;
  verify_token_secret_name: string | null;
  verify_token_state: SecretState | null;
  delivery_id_header: string | null;
  identified_by: 'header' | 'provider' | 'service header or body';
  enabled: boolean;
  /** The open capture window; `null` for none. */
  capture: Capture | null;
  ingress_url: string;
  file: string;
  revision: string | null;
  created_at: string;
  updated_at: string;
  last_delivery_at: string | null;
  deleted_at: string | null;
}

/** `filter` is there where `handled_elsewhere` is false. */
export interface Trigger {
  provider: string;
  event?: Json;
  filter?: { webhook_ids: string[]; webhooks: string[]; payload: JsonObject | null };
  /** UIDs, names resolved. */
  listens_to: string[];
  handled_elsewhere: boolean;
}

export interface Automation {
  name: string;
  factory: string;
  description: string | null;
  enabled: boolean;
  agent: string | null;
  triggers: Trigger[];
  prompt: string;
  overrides: JsonObject;
  file: string;
  revision: string | null;
  warnings: Diagnostic[];
}

/** A row of the log of handshakes. */
export interface Handshake {
  kind: 'Handshake';
  webhook_uid: string;
  handshake: string;
  outcome: 'answered' | 'adopted' | 'confirmed' | 'failed' | 'refused';
  detail: string | null;
  count: number;
  received_at: string;
  client_address: string;
}

export interface Delivery {
  id: string;
  webhook_uid: string;
  webhook_name: string;
  factory: string;
  delivery_id: string | null;
  delivery_id_source: 'header' | 'provider' | 'service_header' | 'body_hash' | null;
  label: string;
  reason: string | null;
  detail: string | null;
  size: number;
  count: number;
  received_at: string;
  client_address: string;
  revision: string | null;
  duplicate_of: string | null;
  runs: string[];
}

export interface Decision {
  automation: string;
  outcome: 'started' | 'filtered' | 'disabled' | 'filter_error';
  run: string | null;
  path: string | null;
  expected: Json;
  actual: Json;
  message: string;
}

export interface Explanation {
  delivery: string;
  decisions: Decision[];
}

export type Run = RunView;

export interface Secret {
  name: string;
  version: number;
  created_at: string;
  updated_at: string;
  used_by: { factory: string; webhook: string; version: number }[];
  listed_by: { factory: string; automation: string }[];
}

export interface ApiToken {
  id: string;
  name: string;
  role: string;
  factories: string[] | null;
  created_at: string;
  last_used_at: string | null;
}

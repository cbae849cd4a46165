import type { components } from '../api-types/openapi.d.ts';

// What the management API answers, by the names of its OpenAPI document.

type Schemas = components['schemas'];

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

export type Factory = Schemas['Factory'];
export type Condition = Factory['conditions'][number];
export type PlanPreview = Schemas['PlanPreview'];
export type PlanSection = PlanPreview['automations'];
export type PlanEntry = PlanSection['create'][number];
export type BacktestExample = PlanPreview['backtest']['automations'][number]['gained'][number];
export type Reconciliation = Schemas['Reconciliation'];
/** Whether a commit is part of what is live. */
export type Ancestry = Schemas['Ancestry'];
export type Webhook = Schemas['Webhook'];
/** A webhook whose secret was just made: `secret` only where the service generated it. */
export type NewWebhook = Schemas['NewWebhook'];
export type SecretState = Webhook['secret_state'];
/** Rejected requests that the daemon keeps for a diagnosis. */
export type Capture = Schemas['Capture'];
export type Diagnosis = Schemas['Diagnosis'];
export type Automation = Schemas['Automation'];
export type Trigger = Automation['triggers'][number];
/** A row of the log of handshakes. */
export type Handshake = Schemas['Handshake'];
/** One change of a managed factory. */
export type Revision = Schemas['Revision'];
export type Delivery = Schemas['Delivery'];
export type Explanation = Schemas['Explanation'];
export type Decision = Explanation['decisions'][number];
export type Run = Schemas['Run'];
/** A whole ID, found by its beginning. */
export type FoundId = Schemas['FoundId'];
export type Secret = Schemas['Secret'];
export type ApiToken = Schemas['Token'];
export type LoginLink = Schemas['LoginLink'];
export type User = Schemas['User'];
/** A change, or a try to sign in. */
export type AuditEntry = Schemas['AuditEntry'];

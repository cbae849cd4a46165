import type { components } from './openapi.d.ts';

// The resources of the management API, by the names of its OpenAPI document.

type Schemas = components['schemas'];

export type Activity = Schemas['Activity'];
/** Something that needs attention. */
export type Alert = Schemas['Alert'];
export type Replica = Schemas['Replica'];
/** A change, or an attempt to sign in. */
export type AuditEntry = Schemas['AuditEntry'];
export type Automation = Schemas['Automation'];
export type AutomationTrigger = Automation['triggers'][number];
export type ProviderTrigger = Extract<AutomationTrigger, { service: unknown }>;
/** The outcome of a delivery that was posted by a backfill. */
export type BackfillAnswer = Schemas['BackfillAnswer'];
export type Backtest = Schemas['Backtest'];
export type BacktestExample = PlanPreview['backtest']['automations'][number]['gained'][number];
/** Rejected requests that the daemon stores for a diagnosis. */
export type Capture = Schemas['Capture'];
/** The difference between a webhook at a provider and what a factory needs. */
export type ConnectionPlan = Schemas['ConnectionPlan'];
export type Condition = Factory['conditions'][number];
export type Delivery = Schemas['Delivery'];
export type DeliveryLabel = Exclude<Delivery['label'], null>;
/** Why the automations of a webhook started for a delivery, or did not. */
export type DeliveryExplanation = Schemas['Explanation'];
export type AutomationDecision = DeliveryExplanation['decisions'][number];
export type Diagnosis = Schemas['Diagnosis'];
export type DiagnosticView = Reconciliation['diagnostics'][number];
/** What a reload of the configuration changed. */
export type Reload = Schemas['Reload'];
/** Whether runs start. */
export type Drain = Schemas['Drain'];
export type Pause = Schemas['Pause'];
/** What happened in one hour. */
export type ActivityHour = Schemas['Activity']['buckets'][number];
export type Factory = Schemas['Factory'];
export type FilterResult = Schemas['FilterResult'];
/** An entry in the log of handshakes. */
export type Handshake = Schemas['Handshake'];
export type UnloggedRequests = Schemas['UnloggedRequests'];
/** A webhook with a new secret. It contains `secret` only if the daemon generated it. */
export type NewWebhook = Schemas['NewWebhook'];
export type PayloadKey = Schemas['PayloadKeys']['keys'][number];
export type PlanPreview = Schemas['PlanPreview'];
export type PlanSection = PlanPreview['automations'];
export type PlanEntry = PlanSection['create'][number];
/** An open pull request, and its last check. */
export type PullRequest = Schemas['PullRequest'];
export type PullRequests = Schemas['PullRequests'];
export type Reconciliation = Schemas['Reconciliation'];
/** One change of a managed factory. */
export type Revision = Schemas['Revision'];
export type Run = Schemas['Run'];
/** Who made a revision. */
export type Commit = NonNullable<Schemas['Reconciliation']['commit']>;
export type RunAttempt = Schemas['RunAttempt'];
/** A file that a run names in `result.json`. */
export type RunArtifact = Schemas['RunArtifact'];
/** The result of an attempt for one target of `runs.results`. */
export type RunPost = Schemas['RunPost'];
/** A replay of stored deliveries, and how far it is. */
export type Replay = Schemas['Replay'];
/** A part of a dry run of a replay. */
export type ReplayPreview = Schemas['ReplayPreview'];
export type RunInput = Schemas['RunInput'];
export type RunRetries = Schemas['RunRetries'];
export type RunState = Run['state'];
export type Secret = Schemas['Secret'];
/** A signed-in browser. */
export type BrowserSession = Schemas['Session'];
export type SignatureScheme = Schemas['SignatureScheme'];
export type SignedIn = Schemas['SignedIn'];
export type ApiToken = Schemas['Token'];
/** A role of a token. Users have no `worker`. */
export type TokenRole = ApiToken['role'];
export type Role = User['role'];
/** What happened to an object, in order. */
export type Story = Schemas['Story'];
export type StoryStep = Story['steps'][number];
export type Worker = Schemas['Worker'];
export type User = Schemas['User'];
export type Webhook = Schemas['Webhook'];
export type SecretState = Webhook['secret_state'];

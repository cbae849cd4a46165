import type { components } from '../../api-types/openapi.d.ts';

type Schemas = components['schemas'];

export type Factory = Schemas['Factory'];
export type Webhook = Schemas['Webhook'];
export type NewWebhook = Schemas['NewWebhook'];
export type SignatureScheme = Schemas['SignatureScheme'];
export type Activity = Schemas['Activity'];
export type SignedIn = Schemas['SignedIn'];
export type Delivery = Schemas['Delivery'];
export type DeliveryLabel = Delivery['label'];
export type Decision = Schemas['Explanation']['decisions'][number];
export type Diagnosis = Schemas['Diagnosis'];
export type Capture = Schemas['Capture'];
export type Run = Schemas['Run'];
export type RunState = Run['state'];
export type Handshake = Schemas['Handshake'];
export type Automation = Schemas['Automation'];
export type FilterVerdict = Schemas['FilterVerdict'];
export type Backtest = Schemas['Backtest'];
export type PayloadKey = Schemas['PayloadKeys']['keys'][number];
export type Reconciliation = Schemas['Reconciliation'];
export type Secret = Schemas['Secret'];
export type Revision = Schemas['Revision'];
export type Token = Schemas['Token'];
export type Condition = Factory['conditions'][number];
export type Role = Schemas['Token']['role'];
export type Diagnostic = Reconciliation['diagnostics'][number];

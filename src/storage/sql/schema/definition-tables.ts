import type { AppliedAutomation } from '../../../core/applied.ts';
import type { LiveFile } from '../../../core/ports/definitions/live-definitions.ts';
import type { FactoryStatus, Reconciliation } from '../../../core/reconciliation.ts';
import { WEBHOOK_FIELDS } from '../../../core/resources/webhook.ts';
import { mapColumns, mapFields } from './columns.ts';

export const FACTORIES = mapColumns<FactoryStatus>()({
  name: 'text',
  appliedRevision: 'text',
  appliedAt: 'instant',
  appliedSource: 'text',
  attemptedRevision: 'text',
  attemptedAt: 'instant',
  conditions: { codec: 'json', generated: true },
});

export const WEBHOOKS = mapFields(WEBHOOK_FIELDS);

/** The fields of an automation that change without a new version. */
export const AUTOMATIONS = mapColumns<AppliedAutomation>()({
  factory: 'text',
  name: 'text',
  file: 'text',
  description: 'text',
  enabled: 'boolean',
  triggers: 'json',
  listensTo: 'json',
  version: 'integer',
  revision: 'text',
  updatedAt: 'instant',
  warnings: 'json',
});

/** The fields of an automation that runs refer to: a change of one makes a new version. */
export const AUTOMATION_VERSIONS = mapColumns<AppliedAutomation>()({
  prompt: 'text',
  agent: 'text',
  overrides: 'json',
});

export const RECONCILIATIONS = mapColumns<Reconciliation>()({
  id: 'text',
  factory: 'text',
  revision: 'text',
  result: 'text',
  reason: 'text',
  message: 'text',
  diagnostics: 'json',
  plan: 'json',
  startedAt: 'instant',
  finishedAt: 'instant',
  attemptedAt: 'instant',
});

export const LIVE_FILES = mapColumns<LiveFile>()({
  path: 'text',
  text: 'text',
  uid: 'text',
});

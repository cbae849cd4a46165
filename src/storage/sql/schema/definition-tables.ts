import type { AppliedAutomation } from '../../../core/applied.ts';
import type { LiveFile } from '../../../core/ports/definitions/live-definitions.ts';
import type { FactoryStatus, Reconciliation } from '../../../core/reconciliation.ts';
import { type AppliedWebhook, WEBHOOK_FIELDS } from '../../../core/resources/webhook.ts';
import { columnsOf, mapColumns } from './columns.ts';

export const FACTORIES = mapColumns<FactoryStatus>()([
  { key: 'name', column: 'name', codec: 'text' },
  { key: 'appliedRevision', column: 'applied_revision', codec: 'text' },
  { key: 'appliedAt', column: 'applied_at', codec: 'instant' },
  { key: 'appliedSource', column: 'applied_source', codec: 'text' },
  { key: 'attemptedRevision', column: 'attempted_revision', codec: 'text' },
  { key: 'attemptedAt', column: 'attempted_at', codec: 'instant' },
  { key: 'conditions', column: 'conditions', codec: 'json', generated: true },
]);

export const WEBHOOKS = mapColumns<AppliedWebhook>()(columnsOf(WEBHOOK_FIELDS));

/** The fields of an automation that change without a new version. */
export const AUTOMATIONS = mapColumns<AppliedAutomation>()([
  { key: 'factory', column: 'factory', codec: 'text' },
  { key: 'name', column: 'name', codec: 'text' },
  { key: 'file', column: 'file', codec: 'text' },
  { key: 'description', column: 'description', codec: 'text' },
  { key: 'enabled', column: 'enabled', codec: 'boolean' },
  { key: 'triggers', column: 'triggers', codec: 'json' },
  { key: 'listensTo', column: 'listens_to', codec: 'json' },
  { key: 'version', column: 'version', codec: 'integer' },
  { key: 'revision', column: 'revision', codec: 'text' },
  { key: 'updatedAt', column: 'updated_at', codec: 'instant' },
  { key: 'warnings', column: 'warnings', codec: 'json' },
]);

/** The fields of an automation that runs refer to: a change of one makes a new version. */
export const AUTOMATION_VERSIONS = mapColumns<AppliedAutomation>()([
  { key: 'prompt', column: 'prompt', codec: 'text' },
  { key: 'agent', column: 'agent', codec: 'text' },
  { key: 'overrides', column: 'overrides', codec: 'json' },
]);

export const RECONCILIATIONS = mapColumns<Reconciliation>()([
  { key: 'id', column: 'id', codec: 'text' },
  { key: 'factory', column: 'factory', codec: 'text' },
  { key: 'revision', column: 'revision', codec: 'text' },
  { key: 'result', column: 'result', codec: 'text' },
  { key: 'reason', column: 'reason', codec: 'text' },
  { key: 'message', column: 'message', codec: 'text' },
  { key: 'diagnostics', column: 'diagnostics', codec: 'json' },
  { key: 'plan', column: 'plan', codec: 'json' },
  { key: 'startedAt', column: 'started_at', codec: 'instant' },
  { key: 'finishedAt', column: 'finished_at', codec: 'instant' },
  { key: 'attemptedAt', column: 'attempted_at', codec: 'instant' },
]);

export const LIVE_FILES = mapColumns<LiveFile>()([
  { key: 'path', column: 'path', codec: 'text' },
  { key: 'text', column: 'text', codec: 'text' },
  { key: 'uid', column: 'uid', codec: 'text' },
]);

import type { Selectable } from 'kysely';
import type { AppliedAutomation, AppliedWebhook } from '../../../core/applied.ts';
import type { AuthMode } from '../../../core/definition.ts';
import type { WebhookUid } from '../../../core/ids.ts';
import type { FactoryStatus, Reconciliation, ReconciliationResult } from '../../../core/reconciliation.ts';
import type { Schema } from '../schema.ts';

/** A row of `webhooks` in the words of the domain. */
export function toAppliedWebhook(row: Selectable<Schema['webhooks']>): AppliedWebhook {
  return {
    ref: row.ref,
    uid: row.uid as WebhookUid,
    factory: row.factory,
    name: row.name,
    file: row.file,
    description: row.description,
    authMode: row.auth_mode as AuthMode,
    signatureScheme: row.signature_scheme,
    signature: row.signature === null ? null : JSON.parse(row.signature),
    secretName: row.secret_name,
    secretVersion: row.secret_version,
    verifyTokenSecretName: row.verify_token_secret_name,
    verifyTokenSecretVersion: row.verify_token_secret_version,
    deliveryIdHeader: row.delivery_id_header,
    enabled: row.enabled === 1,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  };
}

/** An automation joined with the version that its runs refer to. */
export type AutomationJoinRow = Selectable<Schema['automations']> &
  Pick<Selectable<Schema['automation_versions']>, 'prompt' | 'agent' | 'overrides'>;

export function toAppliedAutomation(row: AutomationJoinRow): AppliedAutomation {
  return {
    version: row.version,
    factory: row.factory,
    name: row.name,
    file: row.file,
    description: row.description,
    enabled: row.enabled === 1,
    agent: row.agent,
    triggers: JSON.parse(row.triggers),
    listensTo: JSON.parse(row.listens_to),
    prompt: row.prompt,
    overrides: JSON.parse(row.overrides),
    revision: row.revision,
    updatedAt: row.updated_at,
    warnings: JSON.parse(row.warnings),
  };
}

export function toFactoryStatus(row: Selectable<Schema['factories']>): FactoryStatus {
  return {
    name: row.name,
    appliedRevision: row.applied_revision,
    appliedAt: row.applied_at,
    appliedSource: row.applied_source,
    attemptedRevision: row.attempted_revision,
    attemptedAt: row.attempted_at,
    conditions: JSON.parse(row.conditions),
  };
}

export function toReconciliation(row: Selectable<Schema['reconciliations']>): Reconciliation {
  return {
    id: row.id as Reconciliation['id'],
    factory: row.factory,
    revision: row.revision,
    result: row.result as ReconciliationResult,
    reason: row.reason,
    message: row.message,
    diagnostics: JSON.parse(row.diagnostics),
    plan: JSON.parse(row.plan),
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    attemptedAt: row.attempted_at,
  };
}

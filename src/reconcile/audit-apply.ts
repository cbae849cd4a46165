import type { Actor } from '../domain/access/access.ts';
import { type AuditedChange, RECONCILER } from '../domain/access/audit.ts';
import type { PlanSection } from '../domain/applies/plan.ts';
import type { Reconciliation } from '../domain/applies/reconciliation.ts';
import type { IdSource } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { WebhookRow } from '../domain/ports/inventory.ts';
import type { AppliedWebhook } from '../domain/resources/webhook.ts';
import type { ComputedPlan } from './plan/compute-plan.ts';

/** Definitions of one kind whose names the entry contains. The reconciliation has them all. */
const MAX_NAMED = 50;

/** Automations that the entry is found by. A larger change concerns the factory as a whole. */
const MAX_OBJECTS = 500;

/** What an apply does, for its entry. */
interface AuditedApply {
  /** Who edited the definition; `null` if a commit of the repository is applied. */
  actor: Actor | null;
  reconciliation: Reconciliation;
  /** The webhooks before the apply. */
  before: readonly AppliedWebhook[];
  computed: ComputedPlan;
}

/** The entry of an apply in the audit log: who caused it, what changed, and which versions of secrets are now in use. */
export function auditApply(
  ids: IdSource,
  { actor, reconciliation, before, computed: { plan, webhooks, listened } }: AuditedApply,
): AuditedChange {
  const { id, factory, revision, commit, finishedAt: at } = reconciliation;
  const pins = listPins(before, webhooks);
  const changes: JsonObject = { revision };
  if (commit !== null) Object.assign(changes, { subject: commit.subject, author: commit.author });
  Object.assign(changes, describeSection('webhooks', plan.webhooks), describeSection('automations', plan.automations));
  if (pins.length > 0) changes.secrets = pins.map(({ text }) => text);
  return {
    entry: {
      id: ids.auditId(at),
      at,
      actor: actor ?? RECONCILER,
      method: 'APPLY',
      route: '/api/v1/factories/:factory/reconciliations/:id',
      object: `factories/${encodeURIComponent(factory)}/reconciliations/${id}`,
      changes,
      status: 200,
      clientAddress: 'local',
    },
    objects: [
      ...listEntries(plan.webhooks).map(({ name, uid }) =>
        nameObject(factory, 'webhooks', uid ?? listened.uids.get(name) ?? name),
      ),
      ...listEntries(plan.automations)
        .slice(0, MAX_OBJECTS)
        .map(({ name }) => nameObject(factory, 'automations', name)),
      ...pins.map(({ secretName }) => `secrets/${secretName}`),
    ],
  };
}

function nameObject(factory: string, kind: 'webhooks' | 'automations', id: string): string {
  return `factories/${encodeURIComponent(factory)}/${kind}/${encodeURIComponent(id)}`;
}

function listEntries({ create, update, delete: deleted }: PlanSection) {
  return [...deleted, ...create, ...update];
}

/** The names with the sign that plans print; deleted ones first. */
function describeSection(key: string, { create, update, delete: deleted }: PlanSection): JsonObject {
  const sign = (text: string, entries: PlanSection['create']) => entries.map(({ name }) => `${text}${name}`);
  const names = [...sign('-', deleted), ...sign('+', create), ...sign('~', update)];
  if (names.length === 0) return {};
  const more = names.length > MAX_NAMED ? [`and ${names.length - MAX_NAMED} more`] : [];
  return { [key]: [...names.slice(0, MAX_NAMED), ...more] };
}

/** The webhooks that use another version of a secret after the apply. */
function listPins(before: readonly AppliedWebhook[], after: readonly WebhookRow[]) {
  const known = new Map(before.filter(({ deletedAt }) => deletedAt === null).map((webhook) => [webhook.uid, webhook]));
  return after.flatMap((row) => {
    const old = known.get(row.uid);
    return [
      ...listPin(row.name, [old?.secretName, old?.secretVersion], [row.secretName, row.secretVersion]),
      ...listPin(
        row.name,
        [old?.verifyTokenSecretName, old?.verifyTokenSecretVersion],
        [row.verifyTokenSecretName, row.verifyTokenSecretVersion],
      ),
    ];
  });
}

type Pin = readonly [secretName: string | null | undefined, version: number | null | undefined];

function listPin(webhook: string, [oldName, oldVersion]: Pin, [secretName, version]: Pin) {
  // Version 0 stands for a secret that does not exist yet.
  if (!secretName || !version || (secretName === oldName && version === oldVersion)) return [];
  const instead = secretName === oldName && oldVersion ? ` instead of ${oldVersion}` : '';
  return [{ secretName, text: `${webhook}: ${secretName} version ${version}${instead}` }];
}

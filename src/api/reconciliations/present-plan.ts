import type { AutomationBacktest, Backtest, BacktestExample } from '../../core/backtest.ts';
import type { WebhookUid } from '../../core/ids.ts';
import type { Plan, PlanEntry, PlanSection } from '../../core/plan.ts';
import type { PlanPreview } from '../../core/plan-preview.ts';
import type { Commit } from '../../core/reconciliation.ts';
import type { AuthMode } from '../../core/resources/webhook.ts';
import { formatInstant } from '../../core/time/clock.ts';
import { presentCommit } from './present-commit.ts';

/** What an apply changes, as the interfaces show it; the same in a preview and in the history. */
export function presentPlan({ webhooks, automations }: Plan) {
  return { webhooks: presentSection(webhooks), automations: presentSection(automations) };
}

function presentSection(section: PlanSection) {
  return {
    create: section.create.map(presentEntry),
    update: section.update.map(presentEntry),
    delete: section.delete.map(presentEntry),
  };
}

function presentEntry({ name, uid, restored, changes }: PlanEntry) {
  return { name, uid, restored, changes };
}

/** What a preview needs to know of what is live. */
export interface PlanSurroundings {
  baseUrl(): string;
  /** How the webhooks of the factory are applied, by UID. */
  authModes: ReadonlyMap<string, AuthMode>;
  /** The commit that is live. */
  appliedCommit: Commit | null;
}

/** A valid preview. The webhooks of its plan that exist carry their URL, with `{token}` for a credential in it. */
export function presentPlanPreview(
  factory: string,
  { appliedRevision, plan, agentFiles, missingSecrets, diagnostics, backtest }: PlanPreview & { valid: true },
  surroundings: PlanSurroundings,
) {
  const { webhooks, automations } = presentPlan(plan);
  const withUrl = (entry: ReturnType<typeof presentEntry>) => ({ ...entry, ingress_url: urlOf(entry, surroundings) });
  return {
    factory,
    applied_revision: appliedRevision,
    applied_commit: presentCommit(surroundings.appliedCommit),
    webhooks: {
      create: webhooks.create.map(withUrl),
      update: webhooks.update.map(withUrl),
      delete: webhooks.delete.map(withUrl),
    },
    automations,
    agent_files: agentFiles,
    missing_secrets: missingSecrets,
    diagnostics,
    backtest: presentBacktest(backtest),
  };
}

function urlOf({ uid, changes }: { uid: WebhookUid | null; changes: PlanEntry['changes'] }, around: PlanSurroundings) {
  if (uid === null) return null;
  const mode = changes.find(({ key }) => key === 'authMode')?.to ?? around.authModes.get(uid);
  return `${around.baseUrl()}/webhooks/w/${uid}${mode === 'url_token' ? '/{token}' : ''}`;
}

/** What changed triggers make of stored deliveries. */
export function presentBacktest({ since, until, stored, examined, automations }: Backtest) {
  return {
    since: formatInstant(since),
    until: formatInstant(until),
    stored,
    examined,
    sampled: examined < stored,
    automations: automations.map(presentAutomation),
  };
}

function presentAutomation(one: AutomationBacktest) {
  const { automation, examined, before, after, gainedCount, lostCount, gained, lost, unrecorded } = one;
  return {
    automation,
    examined,
    before,
    after,
    gained_count: gainedCount,
    lost_count: lostCount,
    unrecorded,
    gained: gained.map(presentExample),
    lost: lost.map(presentExample),
  };
}

function presentExample({ delivery, webhook, receivedAt, path, message }: BacktestExample) {
  return { delivery, webhook_uid: webhook, received_at: formatInstant(receivedAt), path, message };
}

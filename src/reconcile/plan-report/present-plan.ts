import type { AutomationBacktest, Backtest, BacktestExample } from '../../domain/applies/backtest.ts';
import type { Plan, PlanEntry, PlanSection } from '../../domain/applies/plan.ts';
import type { PlannedTrigger, PlanPreview } from '../../domain/applies/plan-preview.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { AuthMode } from '../../domain/resources/webhook.ts';
import { formatInstant } from '../../domain/time/clock.ts';

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
interface PlanSurroundings<Commit> {
  /** Where the webhooks are, and how they are applied, by UID. `null` for a reader who must not learn the URLs. */
  urls: { baseUrl: string; authModes: ReadonlyMap<string, AuthMode> } | null;
  /** The commit that is live, as answers show it. */
  appliedCommit: Commit | null;
}

/** A valid preview. The webhooks of its plan that exist carry their URL, with `{token}` for a credential in it. */
export function presentPlanPreview<Commit>(
  factory: string,
  { appliedRevision, plan, triggers, agentFiles, missingSecrets, diagnostics, backtest }: PlanPreview & { valid: true },
  { urls, appliedCommit }: PlanSurroundings<Commit>,
) {
  const { webhooks, automations } = presentPlan(plan);
  const withUrl = (entry: ReturnType<typeof presentEntry>) => ({ ...entry, ingress_url: urlOf(entry, urls) });
  return {
    factory,
    applied_revision: appliedRevision,
    applied_commit: appliedCommit,
    webhooks: {
      create: webhooks.create.map(withUrl),
      update: webhooks.update.map(withUrl),
      delete: webhooks.delete.map(withUrl),
    },
    automations,
    triggers: triggers.map(presentTrigger),
    agent_files: agentFiles,
    missing_secrets: missingSecrets,
    diagnostics,
    backtest: presentBacktest(backtest),
  };
}

function presentTrigger({ automation, trigger, servedBy, reason, note, nextAt }: PlannedTrigger) {
  return { automation, trigger, served_by: servedBy, reason, note, next: nextAt.map((at) => formatInstant(at)) };
}

function urlOf(
  { uid, changes }: { uid: WebhookUid | null; changes: PlanEntry['changes'] },
  urls: PlanSurroundings<never>['urls'],
) {
  if (uid === null || urls === null) return null;
  const mode = changes.find(({ key }) => key === 'authMode')?.to ?? urls.authModes.get(uid);
  return `${urls.baseUrl}/webhooks/w/${uid}${mode === 'url_token' ? '/{token}' : ''}`;
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

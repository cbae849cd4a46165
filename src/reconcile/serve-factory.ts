import { type AppliedFactory, NO_VERSION } from '../domain/applies/applied.ts';
import { scheduleOf, triggerFiltersByWebhook } from '../domain/definitions/trigger.ts';
import type { ListeningAutomation, Serving, ServingWebhook } from '../domain/ports/definitions.ts';
import type { AppliedChange, AssignedNumbers, AutomationRow } from '../domain/ports/inventory.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { LiveChange } from '../domain/ports/replicas.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import { TICK_LISTENERS } from '../domain/resources/schedule.ts';
import type { AppliedWebhook } from '../domain/resources/webhook.ts';
import { findKeyPaths } from '../domain/runs/run-policy.ts';
import { findOverlapEnd } from '../domain/secrets/rotation-overlap.ts';
import type { SecretValue } from '../domain/secrets/secret-value.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { ComputedPlan } from './plan/compute-plan.ts';
import type { ResolvedSecrets } from './resolve-secrets.ts';

/** Automations that are sent and compiled together: about a millisecond. */
const STAGED_AT_ONCE = 50;

/** A change of more automations than this replaces all, so that taking effect does not take long. */
const MAX_REPLACED = 500;

/** What making definitions live takes. */
interface ServeParts {
  serving: Serving;
  secrets: Pick<SecretStore, 'open'>;
  clock: Pick<Clock, 'wallMs'>;
  logger: Logger;
}

/**
 * Writes a planned change and makes it live. Only what the plan changes is sent and compiled again.
 *
 * @param applied before the change
 */
export async function applyAndServe(
  parts: ServeParts,
  applied: AppliedFactory,
  { change, computed, secrets }: { change: AppliedChange; computed: ComputedPlan; secrets: ResolvedSecrets },
): Promise<AssignedNumbers> {
  const { factory, revision } = change;
  const isStaged = await stageChanged(parts.serving, applied, change, computed);
  const known = new Map(applied.webhooks.map((webhook) => [webhook.uid, webhook]));
  const webhooks: ServingWebhook[] = [];
  for (const row of change.webhooks) {
    const { ref = 0, createdAt = row.updatedAt } = known.get(row.uid) ?? {};
    const webhook = { ...row, ref, createdAt, deletedAt: null };
    webhooks.push(takeResolved(webhook, secrets) ?? (await openPinned(parts, webhook)));
  }
  const deleted = { deletedWebhooks: change.deleteWebhooks, deletedAutomations: change.deleteAutomations };
  const changed = { isWhole: false, isStaged, webhooks, ...deleted };
  return parts.serving.apply(change, { factory, revision, applyNumber: null, ...changed });
}

async function stageChanged(
  serving: Serving,
  applied: AppliedFactory,
  change: AppliedChange,
  { planned }: ComputedPlan,
): Promise<boolean> {
  const { factory } = change;
  if (change.automations.length <= MAX_REPLACED) {
    const automations = change.automations.map((row) => listen(row, null));
    return stage(serving, { factory, isWhole: false }, automations);
  }
  const written = new Set(change.automations.map(({ name }) => name));
  const versions = new Map(applied.automations.map(({ name, version }) => [name, version]));
  const automations = planned.automations.map((row) =>
    listen(row, written.has(row.name) ? null : versions.get(row.name)!),
  );
  return stage(serving, { factory, isWhole: true }, automations);
}

/** Makes the whole applied definition live: at start, and after a pin that no apply made. */
export async function serveApplied(parts: ServeParts, applied: AppliedFactory): Promise<void> {
  await serveRows(parts, { factory: applied.name, isWhole: true }, { ...applied, deletedAutomations: [] });
}

/** Makes a change live that another daemon applied. What it does not name stays as it is. */
export async function serveChange(parts: ServeParts, factory: string, change: LiveChange): Promise<void> {
  await serveRows(parts, { factory, isWhole: false }, change);
}

async function serveRows(
  parts: ServeParts,
  whole: { factory: string; isWhole: boolean },
  { revision, applyNumber, webhooks: rows, automations, deletedAutomations }: LiveChange,
): Promise<void> {
  const listening = automations.map((automation) => listen(automation, automation.version));
  const isStaged = await stage(parts.serving, whole, listening);
  const webhooks: ServingWebhook[] = [];
  for (const webhook of rows) {
    if (webhook.deletedAt === null) webhooks.push(await openPinned(parts, webhook));
  }
  const deletedWebhooks = rows.filter(({ deletedAt }) => deletedAt !== null).map(({ uid }) => uid);
  const deleted = { deletedWebhooks, deletedAutomations };
  await parts.serving.serve({ ...whole, revision, applyNumber, isStaged, webhooks, ...deleted });
}

function listen(automation: AutomationRow, version: number | null): ListeningAutomation {
  const { name, enabled, runsOn } = automation;
  const keyPaths = findKeyPaths(automation);
  const filters = [...triggerFiltersByWebhook(automation)];
  const schedules = automation.triggers.map(scheduleOf).filter((schedule) => schedule !== null);
  const listening = { name, version, enabled, keyPaths, runsOn: runsOn ?? undefined, filters };
  if (schedules.length === 0) return listening;
  filters.push([TICK_LISTENERS, [{ payload: { automation: [name] } }]]);
  return { ...listening, schedules };
}

/** Returns whether there is anything to stage. */
async function stage(
  serving: Serving,
  whole: { factory: string; isWhole: boolean },
  automations: readonly ListeningAutomation[],
): Promise<boolean> {
  for (let start = 0; start < automations.length; start += STAGED_AT_ONCE) {
    const part = automations.slice(start, start + STAGED_AT_ONCE);
    await serving.stage({ ...whole, isFirst: start === 0, automations: part });
  }
  return automations.length > 0;
}

/** The values that the plan was made with; `null` if it did not read them all. */
function takeResolved(webhook: AppliedWebhook, { byWebhook, verifyTokens }: ResolvedSecrets): ServingWebhook | null {
  const secret = byWebhook.get(webhook.name)?.value ?? null;
  const verifyToken = verifyTokens.get(webhook.name)?.value ?? null;
  const hasTokens = webhook.verifyTokenSecretName === null || verifyToken !== null;
  const isComplete = secret !== null && hasTokens && findOverlapEnd(webhook) === null;
  return isComplete ? { webhook, secret, previousSecret: null, verifyToken } : null;
}

async function openPinned(parts: ServeParts, webhook: AppliedWebhook): Promise<ServingWebhook> {
  const { secretName, secretVersion, verifyTokenSecretName, verifyTokenSecretVersion } = webhook;
  if (secretVersion === NO_VERSION) return { webhook, secret: null, previousSecret: null, verifyToken: null };
  const open = (name: string, version: number) => openPinnedSecret(parts, webhook, name, version);
  const secret = await open(secretName, secretVersion);
  const hasToken = verifyTokenSecretName !== null && verifyTokenSecretVersion !== null;
  const verifyToken = hasToken ? await open(verifyTokenSecretName, verifyTokenSecretVersion) : null;
  return { webhook, secret, previousSecret: await openPrevious(parts, webhook), verifyToken };
}

async function openPrevious(parts: ServeParts, webhook: AppliedWebhook): Promise<SecretValue | null> {
  const { secretName, previousSecretVersion } = webhook;
  const end = findOverlapEnd(webhook);
  if (end === null || previousSecretVersion === null || end <= parts.clock.wallMs()) return null;
  return openPinnedSecret(parts, webhook, secretName, previousSecretVersion);
}

/** If a pinned value cannot be read, only its webhook answers `503` (threat model S4). */
async function openPinnedSecret(
  { secrets, logger }: ServeParts,
  { factory, name }: AppliedWebhook,
  secretName: string,
  secretVersion: number,
): Promise<SecretValue | null> {
  const fields = { factory, webhook: name, secretName, secretVersion };
  try {
    const value = await secrets.open(secretName, secretVersion);
    if (value === null) logger.error(fields, 'pinned secret is missing');
    return value;
  } catch (error) {
    logger.error({ ...fields, err: error }, 'pinned secret cannot be read');
    return null;
  }
}

import type { AppliedAutomation, AppliedFactory, AppliedWebhook } from '../core/applied.ts';
import { isWebhookTrigger } from '../core/definition.ts';
import type { WebhookUid } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { SecretValue } from '../core/secret-value.ts';
import { compileFilters, describeInvalid, type Judgement } from '../filter/judge-filters.ts';
import { compileVerifier } from '../signature/compile-verifier.ts';
import { resolveScheme } from '../signature/resolve-scheme.ts';
import { compileTokenCheck } from '../signature/token.ts';
import type { Credential, Listener, LiveWebhook, Verdict } from './live-webhook.ts';

/**
 * Compiles what an apply left into what the hot path needs: once here, never per request.
 *
 * @param secrets the pinned secrets by the webhook's name; one that is missing cannot be read
 */
export function buildLiveWebhooks(applied: AppliedFactory, secrets: ReadonlyMap<string, SecretValue>): LiveWebhook[] {
  const listeners = collectListeners(applied.automations);
  return applied.webhooks
    .filter((webhook) => webhook.enabled && webhook.deletedAt === null)
    .map((webhook) => ({
      ref: webhook.ref,
      uid: webhook.uid,
      name: webhook.name,
      factory: applied.name,
      revision: applied.revision,
      credential: buildCredential(webhook, secrets.get(webhook.name) ?? null),
      deliveryIdHeader: webhook.deliveryIdHeader?.toLowerCase() ?? null,
      listeners: listeners.get(webhook.uid) ?? [],
    }));
}

function buildCredential(webhook: AppliedWebhook, secret: SecretValue | null): Credential {
  if (secret === null) return { mode: webhook.authMode, unreadable: true };
  if (webhook.authMode !== 'signature') return { mode: webhook.authMode, accepts: compileTokenCheck(secret.reveal()) };
  const scheme = resolveScheme(webhook.signatureScheme, webhook.signature);
  const compiled = scheme && compileVerifier(scheme, secret.reveal());
  return compiled?.ok ? { mode: 'signature', verify: compiled.verify } : { mode: 'signature', unreadable: true };
}

/** One listener per automation and webhook, however many of its triggers select that webhook. */
function collectListeners(automations: readonly AppliedAutomation[]): Map<WebhookUid, Listener[]> {
  const byWebhook = new Map<WebhookUid, Listener[]>();
  for (const automation of automations) {
    for (const [uid, payloads] of collectPayloadFilters(automation)) {
      const listener = buildListener(automation, payloads);
      const others = byWebhook.get(uid);
      if (others) others.push(listener);
      else byWebhook.set(uid, [listener]);
    }
  }
  return byWebhook;
}

function collectPayloadFilters(automation: AppliedAutomation): Map<WebhookUid, JsonObject[]> {
  const filters = new Map<WebhookUid, JsonObject[]>();
  automation.triggers.forEach((trigger, index) => {
    if (!isWebhookTrigger(trigger)) return;
    for (const uid of automation.listensTo[index] ?? []) {
      filters.set(uid, [...(filters.get(uid) ?? []), trigger.payload ?? {}]);
    }
  });
  return filters;
}

function buildListener(automation: AppliedAutomation, payloads: readonly JsonObject[]): Listener {
  const decide = automation.enabled ? compileDecision(payloads) : () => DISABLED;
  return { automation: automation.name, version: automation.version, decide };
}

const FIRES: Verdict = { fires: true };

const DISABLED: Verdict = {
  fires: false,
  outcome: 'disabled',
  path: null,
  expected: null,
  actual: null,
  message: 'the automation is disabled',
};

function compileDecision(payloads: readonly JsonObject[]): Listener['decide'] {
  const filters = compileFilters(payloads);
  return (payload) => (filters.matches(payload) ? FIRES : explainSilence(filters.judge(payload)));
}

function explainSilence(judgement: Judgement): Verdict {
  if (judgement.outcome === 'matched') return FIRES;
  if (judgement.outcome === 'invalid') {
    const message = describeInvalid(judgement.problems);
    return { fires: false, outcome: 'filter_error', path: null, expected: null, actual: null, message };
  }
  const { path, expected, actual, message } = judgement.decidedBy;
  return { fires: false, outcome: 'filtered', path, expected, actual, message };
}

import type { AppliedAutomation, AppliedFactory, AppliedWebhook } from '../core/applied.ts';
import { isWebhookTrigger } from '../core/definition.ts';
import type { WebhookUid } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { SecretValue } from '../core/secret-value.ts';
import { type CompiledPattern, compilePattern } from '../filter/compile-pattern.ts';
import { parsePattern } from '../filter/parse-pattern.ts';
import { compileVerifier } from '../signature/compile-verifier.ts';
import { findScheme } from '../signature/schemes.ts';
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
  const scheme = findScheme(webhook.signatureScheme ?? '');
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

function collectPayloadFilters(automation: AppliedAutomation): Map<WebhookUid, (JsonObject | null)[]> {
  const filters = new Map<WebhookUid, (JsonObject | null)[]>();
  automation.triggers.forEach((trigger, index) => {
    if (!isWebhookTrigger(trigger)) return;
    for (const uid of automation.listensTo[index] ?? []) {
      filters.set(uid, [...(filters.get(uid) ?? []), trigger.payload]);
    }
  });
  return filters;
}

function buildListener(automation: AppliedAutomation, payloads: readonly (JsonObject | null)[]): Listener {
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

/** Any of the triggers suffices. Where none matches, a broken filter is said first, then which key of the first decided. */
function compileDecision(payloads: readonly (JsonObject | null)[]): (payload: unknown) => Verdict {
  if (payloads.some((payload) => payload === null)) return () => FIRES;
  const parsed = payloads.map((payload) => parsePattern(payload));
  const patterns = parsed.filter((result) => result.ok).map((result) => compilePattern(result.pattern));
  const broken = parsed.find((result) => !result.ok);
  const brokenVerdict = broken && !broken.ok ? explainBroken(broken.problems[0]?.message ?? 'unknown') : null;
  return (payload) => {
    if (patterns.some((pattern) => pattern.matches(payload))) return FIRES;
    return brokenVerdict ?? explainFiltered(patterns[0]!, payload);
  };
}

function explainFiltered(pattern: CompiledPattern, payload: unknown): Verdict {
  const { decidedBy } = pattern.explain(payload);
  return {
    fires: false,
    outcome: 'filtered',
    path: decidedBy?.path ?? null,
    expected: decidedBy?.expected ?? null,
    actual: decidedBy?.actual ?? null,
    message: decidedBy?.message ?? 'the payload is not an object',
  };
}

/** A filter that cannot be evaluated never matches (decisions, "Payload filter"). */
function explainBroken(problem: string): Verdict {
  return {
    fires: false,
    outcome: 'filter_error',
    path: null,
    expected: null,
    actual: null,
    message: `the filter cannot be evaluated: ${problem}`,
  };
}

import { describe, expect, it } from 'vitest';
import { declareWebhook } from '../../../test/helpers/declare-webhook.ts';
import { NO_POLICY } from '../../../test/helpers/no-policy.ts';
import { received } from '../../../test/helpers/payload-filter.ts';
import { buildLive } from '../../../test/helpers/serve-applied.ts';
import type { ListenerIndex } from '../../definitions/filter/listeners/listener-index.ts';
import type { AppliedFactory } from '../../domain/applies/applied.ts';
import { NO_AGENT_FILES } from '../../domain/definitions/agent-files.ts';
import type { Trigger } from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AppliedAutomation } from '../../domain/resources/automation.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';
import { Registry } from './registry.ts';

const A: WebhookUid = 'wh_a';
const B: WebhookUid = 'wh_b';
const NOW = { nowMs: 5_000 };
const SECRETS = new Map([
  ['a', 'secret of a'],
  ['b', 'secret of b'],
]);

function webhook(uid: WebhookUid, more: Partial<AppliedWebhook> = {}): AppliedWebhook {
  return {
    ref: 1,
    uid,
    factory: 'f',
    name: uid.slice(3),
    file: '',
    ...declareWebhook({ secretName: 'S' }),
    secretVersion: 1,
    previousSecretVersion: null,
    secretPinnedAt: 0,
    verifyTokenSecretVersion: null,
    revision: 'c1',
    createdAt: 0,
    updatedAt: 0,
    deletedAt: null,
    ...more,
  };
}

type Filter = [uids: WebhookUid[], payload: JsonObject | null];

function automation(name: string, filters: Filter[], more: Partial<AppliedAutomation> = {}): AppliedAutomation {
  const at = { line: 1, column: 1 };
  const triggers = filters.map(([webhookIds, payload]): Trigger => {
    return { provider: 'webhook', event: 'received', webhookIds, webhooks: [], payload, at } as Trigger;
  });
  return {
    name,
    triggers,
    factory: 'f',
    version: 3,
    file: '',
    description: null,
    enabled: true,
    agent: null,
    prompt: '',
    overrides: {},
    ...NO_POLICY,
    listensTo: filters.map(([uids]) => uids),
    revision: 'c1',
    updatedAt: 0,
    warnings: [],
    ...more,
  };
}

function build(webhooks: AppliedWebhook[], automations: AppliedAutomation[] = [], secrets = SECRETS) {
  const applied: AppliedFactory = {
    name: 'f',
    revision: 'c2',
    applyNumber: 9,
    webhooks,
    automations,
    agentFiles: NO_AGENT_FILES,
  };
  return buildLive(applied, { secrets });
}

const listenersOf = (...automations: AppliedAutomation[]) => build([webhook(A)], automations)[0]!.listeners;

describe('live webhooks', () => {
  it('are those that are enabled and not deleted', () => {
    const all = [webhook(A), webhook(B, { enabled: false }), webhook('wh_c', { deletedAt: 5 })];
    expect(build(all).map(({ uid }) => uid)).toEqual([A]);
    expect(build(all)[0]).toMatchObject({ factory: 'f', revision: 'c2', ref: 1, name: 'a' });
  });

  it('know the branch whose pushes they report, if they are the push webhook', () => {
    const applied: AppliedFactory = {
      name: 'f',
      revision: 'c2',
      applyNumber: 9,
      webhooks: [webhook(A), webhook(B)],
      automations: [],
      agentFiles: NO_AGENT_FILES,
    };
    const live = buildLive(applied, { secrets: SECRETS }, { webhook: 'b', branch: 'main' });
    expect(live.map(({ pushBranch }) => pushBranch)).toEqual([null, 'main']);
    expect(build([webhook(A), webhook(B)]).map(({ pushBranch }) => pushBranch)).toEqual([null, null]);
  });

  it('look their delivery ID header up in lowercase', () => {
    expect(build([webhook(A, { deliveryIdHeader: 'X-Event-ID' })])[0]?.identityHeader).toBe('x-event-id');
  });

  it.each(['token', 'url_token'] as const)('of mode %s accept their own secret only', (authMode) => {
    const { credential } = build([webhook(A, { authMode })])[0]!;
    if (!('accepts' in credential)) throw new Error('no check');
    expect(credential.mode).toBe(authMode);
    expect(credential.accepts('secret of a', NOW)).toBe(true);
    expect(credential.accepts('secret of b', NOW)).toBe(false);
  });

  it('verify signatures under their scheme', () => {
    const { credential } = build([webhook(A, { authMode: 'signature', signatureScheme: 'github' })])[0]!;
    expect(credential).toMatchObject({ mode: 'signature', verify: expect.any(Function) });
  });

  it.each([
    ['the secret is not there', {}, new Map()],
    ['the scheme is unknown', { authMode: 'signature' as const, signatureScheme: 'nobody' }, SECRETS],
    [
      'the scheme cannot use the secret',
      { authMode: 'signature' as const, signatureScheme: 'standard_webhooks' },
      SECRETS,
    ],
  ])('are unreadable if %s, and keep their mode', (_what, more, secrets) => {
    const row = webhook(A, more);
    expect(build([row], [], secrets)[0]?.credential).toEqual({ mode: row.authMode, unreadable: true });
  });
});

const namesOf = (listeners: ListenerIndex, payload: unknown) =>
  listeners.match(received(payload)).map(({ automation: name }) => name);

describe('listeners', () => {
  it('are one for each automation and webhook, even if several triggers select it', () => {
    const two = automation('two', [
      [[A, B], { level: ['fatal'] }],
      [[A], { level: ['error'] }],
    ]);
    const [onA, onB] = build([webhook(A), webhook(B)], [two, automation('other', [[[B], null]])]).map(
      ({ listeners }) => listeners,
    );
    expect([onA!.size, onB!.size]).toEqual([1, 2]);
    expect(onA!.match(received({ level: 'error' }))).toEqual([{ automation: 'two', version: 3 }]);
    expect(onA!.match(received({ level: 'fatal' }))).toHaveLength(1);
    expect(namesOf(onB!, { level: 'error' })).toEqual(['other']);
    expect(namesOf(onB!, { level: 'fatal' })).toEqual(['other', 'two']);
  });

  it('that select one webhook twice in one trigger start once', () => {
    expect(namesOf(listenersOf(automation('x', [[[A, A], null]])), {})).toEqual(['x']);
  });

  it('of a disabled automation are kept and never start', () => {
    const listeners = listenersOf(automation('x', [[[A], null]], { enabled: false }));
    expect([listeners.has('x'), namesOf(listeners, {})]).toEqual([true, []]);
  });

  it('do not include triggers that are handled elsewhere', () => {
    const foreign: Trigger = { provider: 'github', declared: { provider: 'github' } };
    expect(listenersOf(automation('x', [], { triggers: [foreign], listensTo: [[]] })).size).toBe(0);
  });

  it('carry the number of their apply', () => {
    expect(build([webhook(A)])[0]!.listeners.apply).toEqual({ number: 9, revision: 'c2' });
  });
});

describe('the registry', () => {
  it('replaces one factory and keeps the others, without changing a snapshot in use', () => {
    const registry = new Registry();
    registry.replaceFactory('f', build([webhook(A), webhook(B)]));
    registry.replaceFactory('g', [{ ...build([webhook('wh_c')])[0]!, factory: 'g' }]);
    const before = registry.current();
    registry.replaceFactory('f', build([webhook(B)]));
    expect([...before.webhooks.keys()]).toEqual([A, B, 'wh_c']);
    expect([...registry.current().webhooks.keys()].sort()).toEqual([B, 'wh_c']);
    expect(registry.current().webhooks.get('__proto__')).toBeUndefined();
  });
});

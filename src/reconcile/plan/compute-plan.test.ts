import { describe, expect, it } from 'vitest';
import { declareWebhook } from '../../../test/helpers/declare-webhook.ts';
import { NO_POLICY } from '../../../test/helpers/no-policy.ts';
import type { AppliedFactory } from '../../domain/applies/applied.ts';
import { NO_AGENT_FILES } from '../../domain/definitions/agent-files.ts';
import type {
  AutomationDefinition,
  FactoryDefinition,
  WebhookDefinition,
} from '../../domain/definitions/definition.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { OrderedLookup } from '../../domain/definitions/ordered-lookup.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AutomationRow } from '../../domain/ports/inventory.ts';
import type { AppliedAutomation } from '../../domain/resources/automation.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';
import { type ComputedPlan, computePlan, type PlanOrigin, stampRevision } from './compute-plan.ts';

const UID_A: WebhookUid = 'wh_aaaaaaaaaaaaaaaaaaaaaaaaaa';
const UID_NEW: WebhookUid = 'wh_nnnnnnnnnnnnnnnnnnnnnnnnnn';
const UID_GONE: WebhookUid = 'wh_gggggggggggggggggggggggggg';

function webhook(name: string, change: Partial<WebhookDefinition> = {}): WebhookDefinition {
  return {
    name,
    file: `webhooks/${name}.yaml`,
    ...declareWebhook({ secretName: 'S' }),
    secretNameAt: { line: 1, column: 13 },
    verifyTokenSecretNameAt: null,
    ...change,
  };
}

function applied(definition: WebhookDefinition, change: Partial<AppliedWebhook> = {}): AppliedWebhook {
  const { secretNameAt: _, verifyTokenSecretNameAt: __, ...declared } = definition;
  return {
    ...declared,
    ref: 1,
    uid: UID_A,
    factory: 'f',
    secretVersion: 1,
    previousSecretVersion: null,
    secretPinnedAt: 1,
    revision: 'old',
    verifyTokenSecretVersion: null,
    createdAt: 1,
    updatedAt: 1,
    deletedAt: null,
    ...change,
  };
}

function automation(name: string, triggers: { webhookIds?: string[]; webhooks?: string[]; payload?: JsonObject }[]) {
  const definition: AutomationDefinition = {
    name,
    file: `automations/${name}/automation.md`,
    description: null,
    enabled: true,
    agent: null,
    triggers: triggers.map(({ webhookIds = [], webhooks = [], payload = null as never }) => ({
      provider: 'webhook' as const,
      event: 'received' as const,
      webhookIds,
      webhooks,
      payload,
      at: { line: 3, column: 7 },
    })),
    prompt: 'Do it.\n',
    overrides: {},
    ...NO_POLICY,
    places: new Map(),
  };
  return definition;
}

const WARNING: Diagnostic = {
  severity: 'warning',
  rule: 'automation/unknown-uid',
  file: '',
  line: 1,
  column: 1,
  path: '',
  message: 'a warning',
  hint: '',
};

function plan(
  definition: Partial<FactoryDefinition>,
  before: Partial<AppliedFactory> = {},
  version = 1,
  origin: PlanOrigin | null = null,
  findings: Diagnostic[] = [],
): ComputedPlan {
  const webhooks = definition.webhooks ?? [];
  return computePlan({
    definition: { lint: {}, repositories: null, webhooks, automations: definition.automations ?? [], ...definition },
    applied: {
      name: 'f',
      revision: 'old',
      applyNumber: 1,
      webhooks: [],
      automations: [],
      agentFiles: NO_AGENT_FILES,
      ...before,
    },
    findings,
    origin,
    secrets: new Map(webhooks.map(({ name }) => [name, { version }])),
    verifyTokens: new Map(),
    revision: 'new',
    nowMs: 5,
    newUid: () => UID_NEW,
  });
}

/** What an apply of the plan leaves for the next one. */
function originOf(files: AutomationDefinition[], rows: AppliedAutomation[], { listened }: ComputedPlan): PlanOrigin {
  return { rows: new OrderedLookup<AutomationDefinition, AutomationRow>(files, rows), listened, lint: {} };
}

/** The inventory after this plan. */
function toApplied(rows: ComputedPlan['automations']): AppliedAutomation[] {
  return rows.map((row, index) => ({ ...row, version: index + 1 }));
}

describe('stampRevision', () => {
  it('gives the revision to what the plan creates and changes, and to nothing else', () => {
    const moved = { ...webhook('c'), file: 'moved/webhooks/c.yaml' };
    const before = [applied(webhook('b')), applied(webhook('c'), { uid: UID_GONE })];
    const definition = {
      webhooks: [webhook('a'), { ...webhook('b'), description: 'new' }, moved],
      automations: [automation('d', [])],
    };
    const computed = stampRevision(plan(definition, { webhooks: before }), 'committed');
    const revisions = (rows: readonly { name: string; revision: string | null }[]) =>
      rows.map(({ name, revision }) => [name, revision]);
    const all = [
      ['a', 'committed'],
      ['b', 'committed'],
      ['c', 'old'],
    ];
    expect([revisions(computed.webhooks), revisions(computed.planned.webhooks)]).toEqual([all, all]);
    const created = [['d', 'committed']];
    expect([revisions(computed.automations), revisions(computed.planned.automations)]).toEqual([created, created]);
  });
});

describe('computePlan', () => {
  it('creates a webhook that was never applied, with a new UID that the plan does not know yet', () => {
    const { plan: made, webhooks } = plan({ webhooks: [webhook('a')] });
    expect(made.webhooks.create).toEqual([expect.objectContaining({ name: 'a', uid: null, restored: false })]);
    expect(webhooks).toEqual([
      expect.objectContaining({ uid: UID_NEW, secretVersion: 1, revision: 'new', updatedAt: 5 }),
    ]);
  });

  it('writes nothing if nothing changed: the applied rows stay', () => {
    const before = applied(webhook('a'));
    const computed = plan({ webhooks: [webhook('a')] }, { webhooks: [before] });
    expect(computed.plan.webhooks).toEqual({ create: [], update: [], delete: [] });
    expect(computed.webhooks).toEqual([]);
    expect(computed.planned.webhooks[0]).toBe(before);
  });

  it('writes a row of which only what no plan shows differs, and keeps its revision and time', () => {
    const moved = { ...webhook('a'), file: 'moved/webhooks/a.yaml' };
    const computed = plan({ webhooks: [moved] }, { webhooks: [applied(webhook('a'))] });
    expect(computed.plan.webhooks.update).toEqual([]);
    expect(computed.webhooks).toMatchObject([{ file: 'moved/webhooks/a.yaml', revision: 'old', updatedAt: 1 }]);
  });

  it('writes only the changed automations of many, and no row of those with the same origin', () => {
    const files = ['a', 'b', 'c'].map((name) => automation(name, [{ webhooks: ['hook'] }]));
    const hook = webhook('hook');
    const first = plan({ webhooks: [hook], automations: files });
    const before = { webhooks: [applied(hook, { uid: UID_NEW })], automations: toApplied(first.automations) };
    const origin = originOf(files, before.automations, first);
    const changed = [files[0]!, { ...files[1]!, prompt: 'Do it well.\n' }, files[2]!];
    for (const known of [null, origin]) {
      const computed = plan({ webhooks: [hook], automations: changed }, before, 1, known);
      expect(computed.automations.map(({ name }) => name)).toEqual(['b']);
      expect(computed.planned.automations[2]).toBe(before.automations[2]);
    }
    const fewer = plan({ webhooks: [hook], automations: files.slice(1) }, before, 1, origin);
    expect([fewer.deleteAutomations, fewer.automations]).toEqual([['a'], []]);
    // The same file listens to another webhook once the UID of its name differs.
    const renewed = { ...before, webhooks: [applied(hook)] };
    const computed = plan({ webhooks: [hook], automations: files }, renewed, 1, origin);
    expect(computed.automations.map(({ listensTo }) => listensTo)).toEqual(Array(3).fill([[UID_A]]));
  });

  it('writes the warnings of a file that did not change', () => {
    const file = automation('a', []);
    const first = plan({ automations: [file] });
    const finding: Diagnostic = { ...WARNING, rule: 'automation/missing-run-secret', file: file.file };
    const before = { automations: toApplied(first.automations) };
    const origin = originOf([file], before.automations, first);
    const computed = plan({ automations: [file] }, before, 1, origin, [finding]);
    expect([computed.plan.automations.update, computed.automations]).toEqual([[], []]);
    expect(computed.remarks).toEqual([{ name: 'a', warnings: [finding] }]);
    expect(computed.planned.automations).toEqual([{ ...before.automations[0], warnings: [finding] }]);
    // An unknown UID is still unknown, and the file no longer has a warning.
    const listening = automation('a', [{ webhookIds: ['wh_unknown'] }]);
    const second = plan({ automations: [listening] });
    const warned = toApplied(second.automations);
    warned[0]!.warnings.unshift(finding);
    const third = plan({ automations: [listening] }, { automations: warned }, 1, originOf([listening], warned, second));
    expect(third.remarks).toEqual([{ name: 'a', warnings: second.warnings }]);
    expect(third.warnings).toEqual(second.warnings);
  });

  it('shows each changed key with its old and new value', () => {
    const now = webhook('a', { enabled: false, deliveryIdHeader: 'X-Id' });
    const { plan: made } = plan({ webhooks: [now] }, { webhooks: [applied(webhook('a'))] });
    expect(made.webhooks.update).toEqual([
      {
        name: 'a',
        uid: UID_A,
        restored: false,
        changes: [
          { key: 'deliveryIdHeader', from: null, to: 'X-Id' },
          { key: 'enabled', from: true, to: false },
        ],
      },
    ]);
  });

  it('shows a changed signature block as a whole', () => {
    const custom = { authMode: 'signature', signatureScheme: 'custom' } as const;
    const before = webhook('a', { ...custom, signature: { header: 'X-Old' } });
    const after = webhook('a', { ...custom, signature: { header: 'X-New' } });
    const { plan: made, webhooks } = plan({ webhooks: [after] }, { webhooks: [applied(before)] });
    expect(made.webhooks.update[0]?.changes).toEqual([
      { key: 'signature', from: { header: 'X-Old' }, to: { header: 'X-New' } },
    ]);
    expect(webhooks[0]?.signature).toEqual({ header: 'X-New' });
  });

  it('pins a newer version of a secret although no file changed', () => {
    const computed = plan({ webhooks: [webhook('a')] }, { webhooks: [applied(webhook('a'))] }, 2);
    expect(computed.plan.webhooks.update[0]?.changes).toEqual([{ key: 'secretVersion', from: 1, to: 2 }]);
    expect(computed.webhooks[0]?.secretVersion).toBe(2);
  });

  it('deletes webhooks and automations whose file was deleted', () => {
    const computed = plan(
      {},
      {
        webhooks: [applied(webhook('a'))],
        automations: toApplied(plan({ automations: [automation('x', [])] }).automations),
      },
    );
    expect(computed.deleteWebhooks).toEqual([UID_A]);
    expect(computed.deleteAutomations).toEqual(['x']);
    expect(computed.plan.webhooks.delete).toEqual([{ name: 'a', uid: UID_A, restored: false, changes: [] }]);
  });

  it('deletes nothing twice', () => {
    const before = { webhooks: [applied(webhook('a'), { deletedAt: 3 })] };
    expect(plan({}, before).deleteWebhooks).toEqual([]);
  });

  it('gives a restored file its earlier UID', () => {
    const before = { webhooks: [applied(webhook('a'), { deletedAt: 3 })] };
    const computed = plan({ webhooks: [webhook('a')] }, before);
    expect(computed.webhooks[0]?.uid).toBe(UID_A);
    expect(computed.plan.webhooks.create).toEqual([expect.objectContaining({ uid: UID_A, restored: true })]);
  });

  it('gives a new name a new UID, also if a deleted webhook exists', () => {
    const before = { webhooks: [applied(webhook('a'), { deletedAt: 3 })] };
    expect(plan({ webhooks: [webhook('A2')] }, before).webhooks[0]?.uid).toBe(UID_NEW);
  });

  it('resolves names and UIDs of one trigger to their union', () => {
    const computed = plan(
      {
        webhooks: [webhook('a'), webhook('b')],
        automations: [automation('x', [{ webhookIds: [UID_A], webhooks: ['a', 'b'] }])],
      },
      { webhooks: [applied(webhook('a'))] },
    );
    expect(computed.automations[0]?.listensTo).toEqual([[UID_A, UID_NEW]]);
    expect(computed.warnings).toEqual([]);
  });

  it.each([
    ['off', []],
    ['error', ['error']],
  ] as const)('makes of an unknown UID what the factory says: %s', (severity, severities) => {
    const lint = { 'automation/unknown-uid': severity };
    const computed = plan({ lint, automations: [automation('x', [{ webhookIds: [UID_GONE] }])] });
    expect(computed.warnings.map((warning) => warning.severity)).toEqual(severities);
    expect(computed.automations[0]?.warnings).toEqual(computed.warnings);
  });

  it.each([
    ['unknown', []],
    ['deleted', [applied(webhook('gone'), { uid: UID_GONE, deletedAt: 3 })]],
  ])('warns of a UID that is %s, with its place, and does not listen to it', (_case, webhooks) => {
    const computed = plan({ automations: [automation('x', [{ webhookIds: [UID_GONE] }])] }, { webhooks });
    expect(computed.automations[0]?.listensTo).toEqual([[]]);
    expect(computed.warnings).toEqual([
      expect.objectContaining({
        severity: 'warning',
        rule: 'automation/unknown-uid',
        line: 3,
        column: 7,
        path: 'triggers[0].filter.webhook_ids[0]',
      }),
    ]);
    expect(computed.warnings[0]?.message).toContain(UID_GONE);
  });

  it('sees no change in an automation whose trigger only moved in its file', () => {
    const before = automation('x', [{ webhooks: ['a'], payload: { level: ['fatal'] } }]);
    const first = plan({ webhooks: [webhook('a')], automations: [before] });
    const moved = {
      ...before,
      triggers: before.triggers.map((trigger) => ({ ...trigger, at: { line: 9, column: 1 } })),
    };
    const again = plan(
      { webhooks: [webhook('a')], automations: [moved] },
      { webhooks: [applied(webhook('a'), { uid: UID_NEW })], automations: toApplied(first.automations) },
    );
    expect(again.plan.automations).toEqual({ create: [], update: [], delete: [] });
  });

  it('shows a changed filter and a changed override of an automation', () => {
    const before = automation('x', [{ webhooks: ['a'], payload: { level: ['fatal'] } }]);
    const first = plan({ webhooks: [webhook('a')], automations: [before] });
    const after = {
      ...automation('x', [{ webhooks: ['a'], payload: { level: ['error'] } }]),
      overrides: { model: 'big' },
    };
    const { update } = plan(
      { webhooks: [webhook('a')], automations: [after] },
      { webhooks: [applied(webhook('a'), { uid: UID_NEW })], automations: toApplied(first.automations) },
    ).plan.automations;
    expect(update[0]?.changes.map((change) => change.key)).toEqual(['triggers', 'model']);
    expect(update[0]?.changes[1]).toEqual({ key: 'model', from: null, to: 'big' });
  });
});

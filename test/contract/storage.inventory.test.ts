import { describe, expect, it } from 'vitest';
import type { Condition } from '../../src/domain/applies/reconciliation.ts';
import { NO_AGENT_FILES } from '../../src/domain/definitions/agent-files.ts';
import type { Diagnostic } from '../../src/domain/definitions/diagnostic.ts';
import { NO_TRAFFIC } from '../../src/domain/deliveries/webhook-traffic.ts';
import type { SecretScope } from '../../src/domain/secrets/secret-scope.ts';
import {
  applyFactory,
  buildApply,
  buildAutomation,
  buildReconciliation,
  buildWebhook,
  FACTORY,
} from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const READY: Condition = { type: 'Ready', status: 'True', reason: 'Serving', message: 'c0ffee is live', since: 1 };
const LATER = START_MS + 60_000;

describe.each(STORAGES)('the inventory on $name', (kind) => {
  const opened = useStorage(kind);
  const inventory = () => opened.storage.inventory;
  const reader = () => opened.storage.inventoryReader;

  it('returns null for a factory that was never registered', async () => {
    expect(await inventory().load('nobody')).toBeNull();
    expect(await inventory().status('nobody')).toBeNull();
    expect(await inventory().lastReconciliation('nobody')).toBeNull();
  });

  it('registers a factory once and keeps existing data', async () => {
    await applyFactory(opened.storage, { webhooks: [buildWebhook()] });
    await inventory().register(FACTORY, LATER);
    expect(await inventory().load(FACTORY)).toMatchObject({ revision: 'c0ffee', webhooks: [{ name: 'internal-ci' }] });
  });

  it('returns every field of the applied definitions', async () => {
    const webhook = buildWebhook({
      description: 'Ours',
      authMode: 'signature',
      signatureScheme: 'github',
      secretVersion: 7,
      deliveryIdHeader: 'X-Id',
      serves: 'gitlab',
      names: { channels: { triage: 'C01' } },
      botUsername: 'factory-bot',
      ignoreActors: ['factory-bot'],
      enabled: false,
      revision: null,
    });
    const automation = buildAutomation({
      description: 'Fixes',
      enabled: false,
      agent: 'reviewer',
      listensTo: [[webhook.uid], []],
      triggers: [
        {
          provider: 'webhook',
          event: 'received',
          webhookIds: [webhook.uid],
          webhooks: ['internal-ci'],
          payload: { level: ['error'], n: { exists: true } },
          at: { line: 2, column: 3 },
        },
        { provider: 'slack', declared: { provider: 'slack', channel: null } },
      ],
      overrides: { model: 'large', secrets: ['A', 'B'] },
      warnings: [buildWarning('gone')],
    });
    const applied = await applyFactory(opened.storage, { webhooks: [webhook], automations: [automation] });
    expect(applied).toEqual({
      name: FACTORY,
      revision: 'c0ffee',
      applyNumber: 1,
      webhooks: [{ ...webhook, ref: expect.any(Number), createdAt: START_MS, deletedAt: null }],
      automations: [{ ...automation, version: expect.any(Number) }],
      agentFiles: NO_AGENT_FILES,
    });
  });

  it('returns the applied and attempted revisions with their times', async () => {
    await applyFactory(opened.storage, { conditions: [READY], source: 'main of /repo' });
    expect(await inventory().status(FACTORY)).toEqual({
      name: FACTORY,
      appliedRevision: 'c0ffee',
      appliedAt: START_MS,
      appliedSource: 'main of /repo',
      attemptedRevision: 'c0ffee',
      attemptedAt: START_MS,
      conditions: [READY],
    });
    const status = (await inventory().status(FACTORY))!;
    expect(await reader().factories()).toEqual([{ ...status, appliedCommit: null }]);
    const head = { name: FACTORY, appliedRevision: status.appliedRevision, appliedCommit: null };
    expect(await reader().head(FACTORY)).toEqual(head);
    expect(await reader().head('unknown')).toBeNull();
  });

  it('keeps the number and the creation time of a webhook that is applied again', async () => {
    const webhook = buildWebhook();
    const [before] = (await applyFactory(opened.storage, { webhooks: [webhook] })).webhooks;
    const changed = { ...webhook, enabled: false, secretVersion: 2, updatedAt: LATER };
    const [after] = (await applyFactory(opened.storage, { webhooks: [changed], at: LATER })).webhooks;
    expect(after).toEqual({ ...before, enabled: false, secretVersion: 2, updatedAt: LATER });
  });

  it('marks a webhook without file as deleted, and restores it with the file', async () => {
    const webhook = buildWebhook();
    const [before] = (await applyFactory(opened.storage, { webhooks: [webhook] })).webhooks;
    const deleted = await applyFactory(opened.storage, { deleteWebhooks: [webhook.uid], at: LATER });
    expect(deleted.webhooks).toEqual([{ ...before, deletedAt: LATER, updatedAt: LATER }]);
    expect(await reader().webhooks(FACTORY)).toEqual([]);
    expect(await reader().webhook(webhook.uid)).toMatchObject({ uid: webhook.uid, deletedAt: LATER });
    const restored = await applyFactory(opened.storage, { webhooks: [webhook], at: LATER + 1 });
    expect(restored.webhooks).toEqual([before]);
  });

  it('stores one version per content of an automation, also if an earlier content returns', async () => {
    const versionOf = async (more: Parameters<typeof buildAutomation>[0]) =>
      (await applyFactory(opened.storage, { automations: [buildAutomation(more)] })).automations[0]!.version;
    const first = await versionOf({});
    expect(await versionOf({ enabled: false, description: 'a better description', updatedAt: LATER })).toBe(first);
    const changed = [{ prompt: 'Fix it well.' }, { agent: 'reviewer' }, { overrides: { model: 'large' } }];
    const others = [];
    for (const change of changed) others.push(await versionOf(change));
    expect(new Set([first, ...others]).size).toBe(4);
    expect(await versionOf({})).toBe(first);
  });

  it('returns the numbers of the written rows, and leaves the others as they are', async () => {
    const webhooks = [buildWebhook({ name: 'a' }), buildWebhook({ name: 'b' })];
    const automations = Array.from({ length: 450 }, (_, index) => buildAutomation({ name: `automation-${index}` }));
    const before = await applyFactory(opened.storage, { webhooks, automations });
    const changed = { ...automations[7]!, prompt: 'Fix it well.', revision: 'beef', updatedAt: LATER };
    const numbers = await inventory().apply(buildApply({ revision: 'beef', automations: [changed], at: LATER }));
    const after = (await inventory().load(FACTORY))!;
    expect(numbers).toEqual({ applyNumber: 2, webhooks: [], automations: [expect.any(Number)] });
    expect(after.webhooks).toEqual(before.webhooks);
    const isOther = ({ name }: { name: string }) => name !== 'automation-7';
    expect(after.automations.filter(isOther)).toEqual(before.automations.filter(isOther));
    expect(after.automations.find(({ name }) => !isOther({ name }))).toEqual({
      ...changed,
      version: numbers.automations[0]!,
    });
  });

  it('returns the versions of automations in the order of the change, also of those that exist already', async () => {
    const automations = Array.from({ length: 450 }, (_, index) => buildAutomation({ name: `automation-${index}` }));
    await applyFactory(opened.storage, { automations: automations.slice(200) });
    const reversed = automations.toReversed();
    const numbers = await inventory().apply(buildApply({ revision: 'beef', automations: reversed }));
    const stored = (await inventory().load(FACTORY))!.automations;
    const versions = new Map(stored.map(({ name, version }) => [name, version]));
    expect(numbers.automations).toEqual(reversed.map(({ name }) => versions.get(name)));
  });

  it('replaces the warnings of automations that change in nothing else', async () => {
    const automations = Array.from({ length: 450 }, (_, index) => buildAutomation({ name: `automation-${index}` }));
    const before = await applyFactory(opened.storage, { automations });
    const remarks = automations.slice(0, 300).map(({ name }) => ({ name, warnings: [buildWarning(name)] }));
    const numbers = await inventory().apply(buildApply({ remarks, revision: 'beef' }));
    expect(numbers).toMatchObject({ webhooks: [], automations: [] });
    const warnings = new Map(remarks.map((remark) => [remark.name, remark.warnings]));
    expect((await inventory().load(FACTORY))!.automations).toEqual(
      before.automations.map((each) => ({ ...each, warnings: warnings.get(each.name) ?? [] })),
    );
  });

  it('removes an automation without file', async () => {
    const automations = [buildAutomation({ name: 'a' }), buildAutomation({ name: 'b' })];
    await applyFactory(opened.storage, { automations });
    const { automations: left } = await applyFactory(opened.storage, { deleteAutomations: ['a'] });
    expect(left.map((automation) => automation.name)).toEqual(['b']);
    expect(await reader().automation(FACTORY, 'a')).toBeNull();
    expect(await reader().automation(FACTORY, 'b')).toMatchObject({ name: 'b', prompt: 'Fix it.' });
  });

  it('applies everything or nothing', async () => {
    const webhook = buildWebhook();
    await applyFactory(opened.storage, { webhooks: [webhook], conditions: [READY] });
    const before = await inventory().load(FACTORY);
    // A second webhook with the same name makes the apply fail after the first rows are written.
    const broken = buildApply({
      revision: 'bad',
      webhooks: [{ ...webhook, enabled: false }, buildWebhook({ name: 'new' }), buildWebhook({ name: 'new' })],
      automations: [buildAutomation()],
      conditions: [],
    });
    await expect(inventory().apply(broken)).rejects.toMatchObject({ name: 'AppError' });
    expect(await inventory().load(FACTORY)).toEqual(before);
    expect(await inventory().status(FACTORY)).toMatchObject({ appliedRevision: 'c0ffee', conditions: [READY] });
    expect(await inventory().lastReconciliation(FACTORY)).toMatchObject({ revision: 'c0ffee' });
  });

  it('keeps factories apart', async () => {
    const other = { factory: 'other', webhooks: [buildWebhook({ factory: 'other', name: 'internal-ci' })] };
    await applyFactory(opened.storage, { webhooks: [buildWebhook()], automations: [buildAutomation()] });
    const applied = await applyFactory(opened.storage, { ...other, deleteAutomations: ['fix-errors'] });
    expect(applied.automations).toEqual([]);
    expect((await inventory().load(FACTORY))!.automations).toHaveLength(1);
    expect((await reader().factories()).map((factory) => factory.name)).toEqual(['other', FACTORY]);
  });

  it('records an attempt without changing the applied state', async () => {
    await applyFactory(opened.storage, { webhooks: [buildWebhook()], conditions: [READY] });
    const attempt = buildReconciliation({
      revision: 'bad',
      result: 'invalid',
      reason: 'ValidationFailed',
      finishedAt: LATER,
      diagnostics: [buildWarning('wrong')],
    });
    const conditions = [{ ...READY, status: 'False' as const }];
    await inventory().recordAttempt(attempt, conditions);
    expect(await inventory().status(FACTORY)).toMatchObject({
      appliedRevision: 'c0ffee',
      attemptedRevision: 'bad',
      attemptedAt: LATER,
      conditions,
    });
    expect(await inventory().lastReconciliation(FACTORY)).toEqual(attempt);
  });

  it('writes a new row for each recorded attempt, and updates the row of a renewed one', async () => {
    await inventory().register(FACTORY, START_MS);
    const bad = { revision: 'bad', result: 'invalid', reason: 'ValidationFailed' } as const;
    const first = buildReconciliation(bad);
    const second = buildReconciliation({ ...bad, diagnostics: [buildWarning('wrong')] });
    for (const attempt of [first, second]) await inventory().recordAttempt(attempt, []);
    await inventory().renewAttempt({ id: second.id, factory: FACTORY, attemptedAt: LATER }, [READY]);
    expect(await listReconciliations()).toEqual([{ ...second, attemptedAt: LATER }, first]);
    expect(await inventory().status(FACTORY)).toMatchObject({
      attemptedRevision: 'bad',
      attemptedAt: LATER,
      conditions: [READY],
    });
  });

  it('keeps the last attempted commit if a reconciliation fails before it has one', async () => {
    await applyFactory(opened.storage);
    const unreachable = { revision: null, result: 'failed', reason: 'RepositoryUnreachable' } as const;
    await inventory().recordAttempt(buildReconciliation({ ...unreachable, finishedAt: LATER }), []);
    expect(await inventory().status(FACTORY)).toMatchObject({ attemptedRevision: 'c0ffee', attemptedAt: LATER });
  });

  it('returns the last accepted delivery and the secret state of a webhook', async () => {
    const webhook = buildWebhook({ secretName: 'CI_SECRET', secretVersion: 1 });
    const { webhooks } = await applyFactory(opened.storage, { webhooks: [webhook] });
    const view = async () => (await reader().webhook(webhook.uid))!;
    expect(await view()).toMatchObject({ secretState: 'missing', traffic: NO_TRAFFIC });
    const sealed = { name: 'CI_SECRET', sealed: new Uint8Array([1]), createdAt: START_MS, createdBy: null };
    await opened.storage.sealedSecrets.insert({ ...sealed, version: 1 });
    expect(await view()).toMatchObject({ secretState: 'current' });
    await opened.storage.sealedSecrets.insert({ ...sealed, version: 2 });
    expect(await view()).toMatchObject({ secretState: 'outdated' });
    await opened.storage.sealedSecrets.delete('CI_SECRET', { at: LATER, name: null });
    expect(await view()).toMatchObject({ secretState: 'missing' });
    const offers = [START_MS, LATER].map((at) => buildOffer({ webhook: webhooks[0]!.ref, at }));
    await opened.storage.deliveryLog.record(offers);
    expect(await view()).toMatchObject({ traffic: { lastAcceptedAt: LATER } });
    expect(await reader().webhooks(FACTORY)).toEqual([await view()]);
  });

  it('returns a separate secret state for the verify token', async () => {
    const webhook = buildWebhook({ verifyTokenSecretName: 'VERIFY', verifyTokenSecretVersion: 1 });
    await applyFactory(opened.storage, { webhooks: [webhook, buildWebhook({ name: 'without' })] });
    const states = async () =>
      (await reader().webhooks(FACTORY)).map((view) => [view.secretState, view.verifyTokenSecretState]);
    const insert = (name: string, version: number) =>
      opened.storage.sealedSecrets.insert({
        name,
        version,
        sealed: new Uint8Array([1]),
        createdAt: START_MS,
        createdBy: null,
      });
    await insert('CI_SECRET', 1);
    expect(await states()).toEqual([
      ['current', 'missing'],
      ['current', null],
    ]);
    await insert('VERIFY', 1);
    expect((await states())[0]).toEqual(['current', 'current']);
    await insert('VERIFY', 2);
    expect((await states())[0]).toEqual(['current', 'outdated']);
  });

  it('counts webhooks, automations and unfinished runs', async () => {
    const webhooks = [buildWebhook({ name: 'a' }), buildWebhook({ name: 'b' })];
    const applied = await applyFactory(opened.storage, { webhooks, automations: [buildAutomation()] });
    await applyFactory(opened.storage, { deleteWebhooks: [webhooks[1]!.uid] });
    const runs = [{ automation: 'fix-errors', version: applied.automations[0]!.version }];
    const offers = [1, 2, 3].map(() => buildOffer({ webhook: applied.webhooks[0]!.ref, runs }));
    await opened.storage.deliveryLog.record(offers);
    await opened.storage.runQueue.claim({ factory: FACTORY, executor: 'command', limit: 1, at: LATER });
    expect(await reader().counts(FACTORY)).toEqual({ webhooks: 1, automations: 1, queuedRuns: 2, runningRuns: 1 });
  });

  it('finds the run secrets without a value, of the versions that are live', async () => {
    const { sealedSecrets } = opened.storage;
    const listing = (name: string, secrets: string[]) => buildAutomation({ name, overrides: { model: 'm', secrets } });
    await applyFactory(opened.storage, { automations: [listing('both', ['B', 'A']), listing('before', ['OLD'])] });
    const without = buildAutomation({ name: 'without', overrides: { model: '"secrets"' } });
    await applyFactory(opened.storage, { automations: [listing('before', ['A']), without] });
    const missing = async () =>
      (await reader().unusableSecrets(FACTORY)).missingForRuns.map(
        ({ automation, secret }) => `${automation} ${secret}`,
      );
    expect(await missing()).toEqual(['before A', 'both B', 'both A']);
    const sealed = new Uint8Array([1]);
    await sealedSecrets.insert(
      { name: 'A', version: 1, sealed, createdAt: START_MS, createdBy: null },
      { webhook: [], run: null },
    );
    expect(await missing()).toEqual(['both B']);
    await sealedSecrets.delete('A', { at: LATER, name: null });
    expect(await missing()).toEqual(['before A', 'both B', 'both A']);
    expect(await reader().unusableSecrets('other')).toEqual({ missingForRuns: [], outsideScope: [] });
  });

  it('finds the uses of secrets whose scope excludes the factory', async () => {
    const { sealedSecrets } = opened.storage;
    const insert = (name: string, scope: SecretScope) =>
      sealedSecrets.insert(
        { name, version: 1, sealed: new Uint8Array([1]), createdAt: START_MS, createdBy: null },
        scope,
      );
    await insert('ALL', { webhook: null, run: null });
    await insert('HOOK', { webhook: [FACTORY], run: ['other'] });
    await insert('RUN', { webhook: [], run: [FACTORY] });
    await applyFactory(opened.storage, {
      webhooks: [
        buildWebhook({ name: 'a', secretName: 'RUN', verifyTokenSecretName: 'HOOK', verifyTokenSecretVersion: 1 }),
        buildWebhook({ name: 'b', secretName: 'ALL', verifyTokenSecretName: 'RUN', verifyTokenSecretVersion: 1 }),
        buildWebhook({ name: 'waits for its secret', secretName: 'RUN', secretVersion: 0 }),
      ],
      automations: [buildAutomation({ name: 'fix', overrides: { secrets: ['ALL', 'HOOK', 'RUN'] } })],
    });
    expect(await reader().unusableSecrets(FACTORY)).toEqual({
      missingForRuns: [{ automation: 'fix', secret: 'HOOK' }],
      outsideScope: [
        { webhook: 'a', secret: 'RUN' },
        { webhook: 'b', secret: 'RUN' },
      ],
    });
  });

  async function listReconciliations() {
    const page = await opened.storage.reconciliationReader.list({ factory: FACTORY, limit: 50, cursor: null });
    return page.data;
  }
});

describe.each(STORAGES)('the reconciliation history on $name', (kind) => {
  const opened = useStorage(kind);

  it('is listed newest first, in pages, and read by ID', async () => {
    await opened.storage.inventory.register(FACTORY, START_MS);
    await opened.storage.inventory.register('other', START_MS);
    const rows = [0, 1, 2, 3, 4].map((index) => buildReconciliation({ revision: `commit-${index}` }));
    for (const row of rows) await opened.storage.inventory.recordAttempt(row, []);
    await opened.storage.inventory.recordAttempt(buildReconciliation({ factory: 'other' }), []);
    const { reconciliationReader } = opened.storage;
    const first = await reconciliationReader.list({ factory: FACTORY, limit: 3, cursor: null });
    expect(first.data).toEqual(rows.slice(2).toReversed());
    const second = await reconciliationReader.list({ factory: FACTORY, limit: 3, cursor: first.nextCursor });
    expect(second).toEqual({ data: rows.slice(0, 2).toReversed(), nextCursor: null });
    expect(await reconciliationReader.get(rows[1]!.id)).toEqual(rows[1]);
    expect(await reconciliationReader.get('rec_nothing')).toBeNull();
  });
});

function buildWarning(message: string): Diagnostic {
  return {
    severity: 'warning',
    rule: 'automation/unknown-uid',
    file: 'automations/a/automation.md',
    line: 2,
    column: 1,
    path: 'triggers[0]',
    message,
    hint: '',
  };
}

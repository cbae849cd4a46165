import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReconcileWorld, FACTORY, type ReconcileWorld } from '../helpers/reconcile-world.ts';

const SECRET = 'a-secret-that-is-long-enough';
const WEBHOOK = 'secretName: S\n';
const automation = (filter: string) =>
  `---\ntriggers:\n  - provider: webhook\n    event: received\n    filter: ${filter}\n---\nLook at it.\n`;

let world: ReconcileWorld;
beforeEach(async () => {
  world = await createReconcileWorld();
  await world.put('S', SECRET);
});
afterEach(() => world.close());

const uidOf = (name: string) => world.live(name)?.uid;

describe('pruning', () => {
  it('removes webhooks and automations whose files were deleted', async () => {
    world.source.commit({
      'webhooks/a.yaml': WEBHOOK,
      'webhooks/b.yaml': WEBHOOK,
      'automations/x/automation.md': automation('{ webhooks: [a] }'),
      'automations/y/automation.md': automation('{ webhooks: [a] }'),
    });
    await world.pass();
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK, 'automations/y/automation.md': automation('{ webhooks: [a] }') });
    const { plan } = await world.pass();
    expect(plan.webhooks.delete.map((entry) => entry.name)).toEqual(['b']);
    expect(plan.automations.delete.map((entry) => entry.name)).toEqual(['x']);
    expect(world.live('b')).toBeUndefined();
    expect(
      world
        .live('a')
        ?.listeners.match({ headers: {}, payload: {} })
        .map(({ automation: name }) => name),
    ).toEqual(['y']);
    const shown = await world.storage.inventoryReader.webhooks(FACTORY);
    expect(shown.map((webhook) => webhook.name)).toEqual(['a']);
  });
});

describe('the form of an automation', () => {
  it('can change: the plan is empty, and the automation keeps its version and names its file', async () => {
    const text = automation('{ webhooks: [a] }');
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK, 'automations/x/automation.md': text });
    await world.pass();
    const before = (await world.storage.inventoryReader.automation(FACTORY, 'x'))!;
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK, 'automations/x.md': text });
    const { plan } = await world.pass();
    expect(plan.automations).toEqual({ create: [], update: [], delete: [] });
    const after = await world.storage.inventoryReader.automation(FACTORY, 'x');
    expect(after).toMatchObject({ version: before.version, revision: before.revision, file: 'automations/x.md' });
    expect(world.live('a')?.listeners.match({ headers: {}, payload: {} })).toHaveLength(1);
  });
});

describe('the UID of a webhook', () => {
  it('stays through changes of its file', async () => {
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    await world.pass();
    const uid = uidOf('a');
    world.source.commit({ 'webhooks/a.yaml': `${WEBHOOK}authMode: url_token\n` });
    await world.pass();
    expect(uidOf('a')).toBe(uid);
  });

  it('is restored with a deleted file, even after a restart in between', async () => {
    const first = world.source.commit({ 'webhooks/a.yaml': WEBHOOK, 'webhooks/b.yaml': WEBHOOK });
    await world.pass();
    const uid = uidOf('a');
    world.source.commit({ 'webhooks/b.yaml': WEBHOOK });
    await world.pass();
    expect(uidOf('a')).toBeUndefined();
    world = await world.restart();
    world.source.moveTo(first);
    const { plan } = await world.pass();
    expect(plan.webhooks.create).toEqual([expect.objectContaining({ name: 'a', uid, restored: true })]);
    expect(uidOf('a')).toBe(uid);
  });

  it('is a new one for a new name', async () => {
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    await world.pass();
    const uid = uidOf('a');
    world.source.commit({ 'webhooks/renamed.yaml': WEBHOOK });
    await world.pass();
    expect(uidOf('renamed')).not.toBe(uid);
  });

  it('that no webhook has is a warning on the reconciliation and on the automation that names it', async () => {
    const gone = `wh_${'0'.repeat(26)}`;
    world.source.commit({
      'webhooks/a.yaml': WEBHOOK,
      'automations/x/automation.md': automation(`{ webhook_ids: [${gone}] }`),
    });
    const reconciliation = await world.pass();
    expect(reconciliation.result).toBe('applied');
    const warning = expect.objectContaining({ severity: 'warning', rule: 'automation/unknown-uid' });
    expect(reconciliation.diagnostics).toEqual([warning]);
    const shown = await world.storage.inventoryReader.automation(FACTORY, 'x');
    expect(shown?.warnings).toEqual([warning]);
    expect(world.live('a')?.listeners.size).toBe(0);
  });
});

it('shows a missing secret of runs on the reconciliation and on the automation, and applies', async () => {
  const text = automation('{ webhooks: [a] }').replace('triggers:', 'secrets: [DEPLOY_KEY, S]\ntriggers:');
  world.source.commit({ 'webhooks/a.yaml': WEBHOOK, 'automations/x/automation.md': text });
  const reconciliation = await world.pass();
  expect(reconciliation.result).toBe('applied');
  const warning = expect.objectContaining({
    rule: 'automation/missing-run-secret',
    message: expect.stringContaining('DEPLOY_KEY'),
    path: 'secrets[0]',
    line: 2,
    column: 11,
  });
  expect(reconciliation.diagnostics).toEqual([warning]);
  expect((await world.storage.inventoryReader.automation(FACTORY, 'x'))?.warnings).toEqual([warning]);
});

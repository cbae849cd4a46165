import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReconcileWorld, FACTORY, type ReconcileWorld } from '../helpers/reconcile-world.ts';

const GONE = `wh_${'0'.repeat(26)}`;

/** One warning each of the tree, of a secret, of a secret that only runs need, and of the inventory. */
const RULES = [
  'webhook/ignored-file',
  'webhook/weak-secret',
  'automation/missing-run-secret',
  'automation/unknown-uid',
];
const FILES = {
  'webhooks/a.yaml': 'secretName: WEAK\n',
  'webhooks/notes.txt': '',
  'automations/x/automation.md': `---\nsecrets: [NONE]\ntriggers:\n  - provider: webhook\n    event: received\n    filter: { webhooks: [a], webhook_ids: [${GONE}] }\n---\nLook at it.\n`,
};
const factoryWith = (lint: string) => ({ 'factory.yaml': `schemaVersion: v1alpha1\nname: f\nlint: {${lint}}\n` });

let world: ReconcileWorld;
beforeEach(async () => {
  world = await createReconcileWorld();
  await world.put('WEAK', 'hunter2');
});
afterEach(() => world.close());

const rulesOf = ({ diagnostics }: { diagnostics: { rule: string }[] }) => diagnostics.map(({ rule }) => rule).sort();

describe('the lint settings of a factory', () => {
  it('report everything as a warning by default', async () => {
    world.source.commit(FILES);
    const reconciliation = await world.pass();
    expect([reconciliation.result, rulesOf(reconciliation)]).toEqual(['applied', [...RULES].sort()]);
  });

  it('switch off rules of every step of an apply', async () => {
    world.source.commit({ ...FILES, ...factoryWith(RULES.map((rule) => `${rule}: off`).join(', ')) });
    const reconciliation = await world.pass();
    expect([reconciliation.result, reconciliation.diagnostics]).toEqual(['applied', []]);
    expect((await world.storage.inventoryReader.automation(FACTORY, 'x'))?.warnings).toEqual([]);
  });

  it.each([
    ['webhook/ignored-file', 'invalid', 'ValidationFailed'],
    ['webhook/weak-secret', 'invalid', 'SecretUnsuitable'],
    ['automation/missing-run-secret', 'failed', 'SecretMissing'],
    ['automation/unknown-uid', 'invalid', 'ValidationFailed'],
  ])('prevent the apply if %s is an error', async (rule, result, reason) => {
    world.source.commit({ 'webhooks/before.yaml': 'secretName: WEAK\n' });
    await world.pass();
    world.source.commit({ ...FILES, ...factoryWith(`${rule}: error`) });
    const reconciliation = await world.pass();
    expect(reconciliation).toMatchObject({ result, reason });
    const errors = reconciliation.diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors.map((error) => error.rule)).toEqual([rule]);
    expect([world.live('before')?.name, world.live('a')]).toEqual(['before', undefined]);
  });
});

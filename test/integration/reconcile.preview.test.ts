import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Plan } from '../../src/domain/applies/plan.ts';
import type { PlanPreview } from '../../src/domain/applies/plan-preview.ts';
import { createFactoryEditor, type FactoryEditor } from '../../src/reconcile/edit/factory-editor.ts';
import type { NewWebhook } from '../../src/reconcile/edit/webhook-edits.ts';
import { createLiveSource } from '../../src/reconcile/source/live-source.ts';
import { createManagedSource } from '../../src/reconcile/source/managed-source.ts';
import { EDITOR } from '../helpers/build-apply.ts';
import { declareWebhook } from '../helpers/declare-webhook.ts';
import { createReconcileWorld, FACTORY, type ReconcileWorld, type WorldOptions } from '../helpers/reconcile-world.ts';

const MANAGED: WorldOptions['host'] = (_storage, dir) => createManagedSource(join(dir, 'managed.git'), process.env);
const LIVE: WorldOptions['host'] = (storage) => createLiveSource(storage.liveDefinitions, FACTORY);
const ORDER = { factory: FACTORY, actor: EDITOR, author: { name: 'Ada', email: 'ada@example.com' }, ifMatch: null };
const NEW = 'the-new-secret-of-the-team';

let world: ReconcileWorld;
let editor: FactoryEditor;

function want(name: string, more: Partial<NewWebhook> = {}): NewWebhook {
  return {
    ...declareWebhook(),
    name,
    secretName: null,
    secret: null,
    ...more,
  };
}

function requirePlan(preview: PlanPreview): Plan & { missing: string[] } {
  if (!preview.valid) throw new Error(JSON.stringify(preview.diagnostics));
  return { ...preview.plan, missing: preview.missingSecrets.map(({ name }) => name) };
}

/** Name and changes of every webhook that would change. */
async function previewUpdates(files: Record<string, string>) {
  return requirePlan(await world.preview(files)).webhooks.update.map(({ name, changes }) => ({ name, changes }));
}

const CI = 'secretName: CI_WEBHOOK_SECRET\n';
const DEPLOY = 'secretName: DEPLOY_WEBHOOK_SECRET\n';
const FILES = { 'webhooks/ci.yaml': CI, 'webhooks/deploy.yaml': DEPLOY };
const TO_VERSION_2 = { key: 'secretVersion', from: 1, to: 2 };

describe.each([
  { kind: 'managed', host: MANAGED },
  { kind: 'live', host: LIVE },
])('the preview of a $kind factory', ({ host }) => {
  beforeEach(async () => {
    world = await createReconcileWorld({ host });
    editor = createFactoryEditor({
      loop: { edit: (_factory, edit) => world.reconciler.edit(edit), history: async () => null },
      secrets: world.secrets,
      inventory: world.storage.inventoryReader,
      randomBytes,
    });
    await editor.createWebhook(ORDER, want('ci'));
    await editor.createWebhook(ORDER, want('deploy'));
  });
  afterEach(() => world.close());

  it('shows no newer version of a secret for unchanged webhooks, because an edit does not pin it', async () => {
    await world.put('CI_WEBHOOK_SECRET', NEW);
    expect(await previewUpdates(FILES)).toEqual([]);
  });

  it('shows the version that the edit of the same change makes live', async () => {
    await world.put('CI_WEBHOOK_SECRET', NEW);
    await world.put('DEPLOY_WEBHOOK_SECRET', NEW);
    const shown = await previewUpdates({ ...FILES, 'webhooks/ci.yaml': `${CI}description: builds\n` });
    expect(shown).toEqual([{ name: 'ci', changes: [{ key: 'description', from: null, to: 'builds' }, TO_VERSION_2] }]);
    const { uid } = (await world.storage.inventoryReader.webhooks(FACTORY)).find(({ name }) => name === 'ci')!;
    await editor.changeWebhook(ORDER, uid, { description: 'builds' });
    const { update } = (await world.history())[0]!.plan.webhooks;
    expect(update.map(({ name, changes }) => ({ name, changes }))).toEqual(shown);
  });

  it('reports no missing secret that only unchanged webhooks or webhooks that wait for their provider need', async () => {
    await world.secrets.delete('DEPLOY_WEBHOOK_SECRET', { force: true });
    const stripe = { authMode: 'signature', signatureScheme: 'stripe' } as const;
    await editor.createWebhook(ORDER, want('payments', stripe));
    const waiting = 'authMode: signature\nsignatureScheme: stripe\nenabled: false\nsecretName: ';
    const files = {
      ...FILES,
      'webhooks/payments.yaml': `${waiting}PAYMENTS_WEBHOOK_SECRET\n`,
      'webhooks/refunds.yaml': `${waiting}REFUNDS_WEBHOOK_SECRET\n`,
      'webhooks/new.yaml': 'secretName: NEW_SECRET\n',
    };
    const { webhooks, missing } = requirePlan(await world.preview(files));
    expect(webhooks.create.map(({ name }) => name).sort()).toEqual(['new', 'refunds']);
    expect([webhooks.update, webhooks.delete, missing]).toEqual([[], [], ['NEW_SECRET']]);
  });

  it('writes nothing', async () => {
    const before = [await world.hosted!.head(), await world.history(), await world.secrets.list()];
    await world.preview({ 'webhooks/new.yaml': 'secretName: NEW_SECRET\n' });
    expect([await world.hosted!.head(), await world.history(), await world.secrets.list()]).toEqual(before);
  });
});

describe('the preview of a factory with a repository', () => {
  beforeEach(async () => {
    world = await createReconcileWorld();
    await world.put('CI_WEBHOOK_SECRET', 'the-old-secret-of-the-team');
    await world.put('DEPLOY_WEBHOOK_SECRET', NEW);
  });
  afterEach(() => world.close());

  it('shows the newest version of every secret, which the next commit pins', async () => {
    world.source.commit(FILES);
    await world.pass();
    await world.put('CI_WEBHOOK_SECRET', NEW);
    const shown = await previewUpdates(FILES);
    expect(shown).toEqual([{ name: 'ci', changes: [TO_VERSION_2] }]);
    world.source.commit(FILES);
    expect((await world.pass()).plan.webhooks.update.map(({ name, changes }) => ({ name, changes }))).toEqual(shown);
  });

  it('shows the next times of schedules, also of automations that do not change', async () => {
    const schedule = '---\ntriggers: [{provider: schedule, event: cron_fired, schedule: {cron: "0 9 * * *"}}]\n';
    const files = {
      'automations/a.md': `${schedule}---\nDo it.\n`,
      'automations/off.md': `${schedule}enabled: false\n---\nDo it.\n`,
    };
    world.source.commit(files);
    await world.pass();
    const changed = await world.preview({ ...files, 'automations/b.md': `${schedule}---\nDo it.\n` });
    if (!changed.valid) throw new Error(JSON.stringify(changed.diagnostics));
    expect(changed.triggers.map(({ automation, nextAt }) => [automation, nextAt.length])).toEqual([
      ['b', 5],
      ['a', 5],
    ]);
    expect(changed.plan.automations.create.map(({ name }) => name)).toEqual(['b']);
  });

  it('names the webhooks of triggers, before and after', async () => {
    const trigger = (name: string) =>
      `---\ntriggers:\n  - {provider: webhook, event: received, filter: {webhooks: [${name}], payload: {a: [1]}}}\n---\nDo it.\n`;
    world.source.commit({ ...FILES, 'automations/a.md': trigger('ci') });
    await world.pass();
    const { automations } = requirePlan(await world.preview({ ...FILES, 'automations/a.md': trigger('deploy') }));
    expect(automations.update[0]!.changes).toContainEqual({ key: 'listensTo', from: [['ci']], to: [['deploy']] });
  });

  it('is that of an empty factory if nothing was ever applied', async () => {
    const { webhooks } = requirePlan(await world.preview(FILES));
    expect(webhooks.create.map(({ name, uid }) => [name, uid])).toEqual([
      ['ci', null],
      ['deploy', null],
    ]);
    expect(await world.storage.inventory.status(FACTORY)).toBeNull();
  });
});

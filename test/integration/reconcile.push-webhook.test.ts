import { afterEach, expect, it } from 'vitest';
import { createReconcileWorld, FACTORY, type ReconcileWorld } from '../helpers/reconcile-world.ts';

const WEBHOOK = 'secretName: S\n';

let world: ReconcileWorld;
afterEach(() => world.close());

async function missing(): Promise<boolean> {
  const { conditions } = (await world.storage.inventory.status(FACTORY))!;
  return conditions.some(({ type, status }) => type === 'PushWebhookMissing' && status === 'True');
}

it('a missing, disabled or deleted push webhook is reported while that is the case', async () => {
  world = await createReconcileWorld({ pushWebhook: 'git-push' });
  await world.put('S', 'a-secret-that-is-long-enough');
  world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  await world.pass();
  expect(await missing()).toBe(true);

  world.source.commit({ 'webhooks/git-push.yaml': WEBHOOK });
  await world.pass();
  expect(await missing()).toBe(false);
  await world.pass();
  expect(await missing()).toBe(false);

  world.source.commit({ 'webhooks/git-push.yaml': 'broken' });
  await world.pass();
  expect(await missing()).toBe(false);

  world.source.commit({ 'webhooks/git-push.yaml': `${WEBHOOK}enabled: false\n` });
  await world.pass();
  expect(await missing()).toBe(true);
  await world.pass();
  expect(await missing()).toBe(true);
});

import { afterEach, expect, it } from 'vitest';
import { startIngress, type TestIngress } from '../helpers/start-ingress.ts';

let ingress: TestIngress;
afterEach(() => ingress.close());

const start = () =>
  startIngress({
    webhooks: [{ name: 'git-push' }, { name: 'other' }],
    pushTrigger: { webhook: 'git-push', branch: 'main' },
  });

const push = (ref: string, after = 'c0ffee') => ({ body: JSON.stringify({ ref: `refs/heads/${ref}`, after }) });

it('an accepted delivery about the branch is a push, and its duplicate is not', async () => {
  ingress = await start();
  expect((await ingress.post('git-push', push('main'))).status).toBe(202);
  expect(ingress.seen.pushes).toEqual(['payments']);
  expect((await ingress.post('git-push', push('main'))).status).toBe(202);
  expect(ingress.seen.labels).toEqual(['Accepted', 'Duplicate']);
  expect(ingress.seen.pushes).toHaveLength(1);
  await ingress.post('git-push', push('main', 'c0ffef'));
  expect(ingress.seen.pushes).toHaveLength(2);
});

it('another branch, another webhook and an unauthenticated request are not pushes', async () => {
  ingress = await start();
  await ingress.post('git-push', push('feature'));
  await ingress.post('other', push('main'));
  const refused = await ingress.post(ingress.path('git-push'), push('main'));
  await ingress.post('git-push', { body: 'no JSON' });
  expect(refused.status).toBe(401);
  expect(ingress.seen.labels).toHaveLength(4);
  expect(ingress.seen.pushes).toEqual([]);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';

let factory: DashboardFactory;
const OLD = { authorization: 'Bearer a-secret-that-was-replaced' };

beforeAll(async () => {
  factory = await startDashboardFactory('exit 0');
  // Two senders share the webhook, and one of them has the old secret.
  const kinds = ['good', 'old', 'good', 'old', 'good', 'good', 'old', 'good', 'old', 'good'];
  for (const [i, kind] of kinds.entries()) {
    const { status } = await factory.send(`{"n": ${i}}`, kind === 'old' ? OLD : {});
    expect(status).toBe(kind === 'old' ? 401 : 202);
  }
});
afterAll(() => factory?.daemon.end('SIGTERM'));

const REJECTED = /rejected 4 of 10 requests in the last 24 hours, since \S+( \([^)]*\))?, from 127\.0\.0\.1/;

it.each([['why', 'webhook:ci'], ['status'], ['webhook', 'show', 'ci'], ['webhook', 'list']])(
  '%s %s %s names the requests of the sender with the old secret',
  { tags: 'full' },
  async (...args) => {
    const { stdout } = await factory.daemon.cli(...args);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(REJECTED);
    expect(stdout.replace(/\s+/g, ' ')).toContain('The token is not the secret of this webhook');
  },
);

it('has the addresses in the API, and counts the requests as rejected', { tags: 'full' }, async () => {
  const { body } = await factory.daemon.api('/factories/payments/webhooks');
  expect(body.data[0].traffic).toMatchObject({
    acceptance_rate: 0.6,
    credential_failing: null,
    rejections: { count: 4, addresses: ['127.0.0.1'], reason: 'bad_credential' },
  });
});

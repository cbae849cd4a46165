import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../helpers/dashboard.ts';
import { type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';

/** In the order of names, the one that nearly starts is the 13th. */
const FAR =
  `audit-statement backfill-customer close-account collect-fees export-ledger freeze-card import-rates issue-card
  match-transfer notify-owner open-account review-limit sync-contacts tag-merchant update-index`.split(/\s+/);
const NEAR = 'settle-order';
const MISS = `${NEAR} did not start: type is "order.shipped", expected one of "order.created", "order.refunded".`;

let factory: DashboardFactory;
let delivery: string;

beforeAll(async () => {
  factory = await startDashboardFactory('exit 0');
  await declare(NEAR, { type: ['order.created', 'order.refunded'] });
  for (const name of FAR) await declare(name, { kind: [name] });
  const sent = await factory.send('{"type": "order.shipped"}', { 'x-service-delivery-id': 'shipped-1' });
  expect(sent.status).toBe(202);
  const { body } = await factory.daemon.api('/factories/payments/deliveries?limit=1');
  delivery = body.data[0].id;
});
afterAll(() => factory?.daemon.end('SIGTERM'));

async function declare(name: string, payload: object): Promise<void> {
  const trigger = { provider: 'webhook', event: 'received', filter: { webhooks: ['ci'], payload } };
  const body = { name, triggers: [trigger], prompt: 'Do it.' };
  expect((await factory.daemon.api('/factories/payments/automations', { method: 'POST', body })).status).toBe(201);
}

describe('a delivery that started none of many automations', () => {
  it('is answered with the automation that nearly started, and the others by the key that decided', async () => {
    const { stdout } = await factory.daemon.cli('why', delivery);
    expect(stdout).toContain(`started nothing. ${MISS} 16 other automations did not start either.`);
    expect(stdout).toContain('15 automations did not start: kind is absent.');
    expect(stdout).toContain('build did not start: start is absent');
    expect(stdout).toContain(`More: dockbell why ${delivery} --all`);
    for (const name of FAR) expect(stdout).not.toContain(`${name} did not start`);
  });

  it('is answered with every automation on request', { tags: 'full' }, async () => {
    const { stdout } = await factory.daemon.cli('why', delivery, '--all');
    for (const name of FAR) expect(stdout).toContain(`${name} did not start: kind is absent, expected "${name}".`);
    expect(stdout).toContain(MISS);
    expect(stdout).not.toContain('--all');
  });
});

it('a webhook with many automations counts them, and names each on request', { tags: 'full' }, async () => {
  const { stdout } = await factory.daemon.cli('why', 'webhook:ci', '--all');
  expect(stdout).toContain('17 automations listen to it: audit-statement, ');
  for (const name of [NEAR, ...FAR]) expect(stdout).toContain(name);
});

it('an automation without runs names the recent delivery that came nearest', { tags: 'full' }, async () => {
  for (let i = 0; i < 4; i += 1) await factory.send(`{"other": ${i}}`);
  const { stdout } = await factory.daemon.cli('why', `automation:${NEAR}`);
  expect(stdout).toContain(`${NEAR} has no runs. shipped-1 does not start it: type is "order.shipped"`);
});

describeDashboard('the page of the delivery', ({ signIn }) => {
  it('shows the nearest miss, and opens the others in place', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon, `/factories/payments/deliveries/${delivery}`);
    const story = page.getByRole('region', { name: 'What happened' });
    await story.getByText(MISS).first().waitFor();
    await story.getByText('15 automations did not start: kind is absent.').waitFor();
    await expect.poll(() => story.textContent()).not.toContain(`${FAR[0]} did not start`);
    await lookAt(page, 'near-misses');
    await story.getByRole('button', { name: 'Show each' }).click();
    for (const name of FAR) await story.getByRole('link', { name: `automation ${name}` }).waitFor();
    await lookAt(page, 'near-misses-each');
    await story.getByRole('button', { name: 'Show less' }).click();
    await story.getByText('15 automations did not start: kind is absent.').waitFor();
  });
});

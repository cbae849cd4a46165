import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliverySearch } from '../../src/domain/ports/delivery-log.ts';
import type { Delivery } from '../../src/domain/resources/delivery.ts';
import { runCli } from '../helpers/run-cli.ts';
import {
  createSeededServer,
  createSeededServices,
  DELETED_UID,
  DELIVERY_ID,
  makeDelivery,
  NOW_MS,
  RECONCILIATION_ID,
  REJECTED_ID,
  REPLAY_ID,
  RUN_ID,
  type SeededServices,
  WEBHOOK_UID,
} from '../helpers/seeded-services.ts';

// How commands name what they are about: whole IDs, unique prefixes, `last`, and the delivery ID of the sender.
let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;
let searches: DeliverySearch[];
let deliveries: Delivery[];

beforeEach(async () => {
  services = createSeededServices();
  searches = [];
  deliveries = [makeDelivery()];
  services.deliveries.list = async (request) => {
    searches.push(request);
    const isWanted = ({ factory, deliveryId }: Delivery) =>
      (request.identity === undefined || deliveryId === request.identity) &&
      (!('factory' in request) || request.factory === factory);
    return { data: deliveries.filter(isWanted).slice(0, request.limit), nextCursor: null };
  };
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner') };
});

afterEach(() => app.close());

const run = (...argv: string[]) => runCli(argv, { env, clock: services.clock });
const show = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);

/** Long enough to tell the IDs of these stores apart. */
const abbreviate = (id: string) => id.slice(0, -1);

describe('an ID', () => {
  it.each([
    [['run', 'show'], RUN_ID],
    [['reconciliation', 'show', '--factory', 'payments'], RECONCILIATION_ID],
    [['delivery', 'show'], DELIVERY_ID],
    [['run', 'cancel'], RUN_ID],
    [['run', 'retry'], RUN_ID],
  ])('of %j is found by a unique prefix', async (argv, id) => {
    services.idFinder.find = async ({ prefix }) => (id.startsWith(prefix) ? [{ id, factory: 'payments' }] : []);
    // Only a run that has ended can be retried.
    if (argv[1] === 'retry') await services.runControl.cancel(RUN_ID);
    expect((await show(...argv, id.slice(0, 10))).id).toBe(id);
  });

  it.each([
    [['run', 'show'], RUN_ID],
    [['delivery', 'show'], DELIVERY_ID],
    [['reconciliation', 'show', '--factory', 'payments'], RECONCILIATION_ID],
  ])('of %j is that of the most recent one for last', async (argv, id) => {
    expect((await show(...argv, 'last')).id).toBe(id);
  });

  it('reads the log of a run by a prefix', async () => {
    expect((await run('run', 'log', RUN_ID.slice(0, 12))).stdout).toContain('line one');
  });

  it('is resolved in the factory of --factory only', async () => {
    const { code, stderr } = await run('run', 'show', RUN_ID.slice(0, 12), '--factory', 'other');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no run '${RUN_ID.slice(0, 12)}'.`)]);
  });

  it('that is an ambiguous prefix is rejected', async () => {
    const { code, stderr } = await run('delivery', 'replay', abbreviate(DELIVERY_ID));
    expect(code).toBe(2);
    expect(stderr.split('\n').map((line) => line.trim())).toEqual([
      `More than one delivery ID starts with '${abbreviate(DELIVERY_ID)}'.`,
      'Add more characters:',
      REPLAY_ID,
      REJECTED_ID,
      DELIVERY_ID,
      '',
    ]);
    expect(services.seen.replayed).toEqual([]);
  });

  it.each([
    ['run_01kdy', 'Specify its ID (run_…), a unique prefix'],
    [DELIVERY_ID, "This is the ID of a delivery: use 'dockbell delivery show'."],
    ['nonsense', "See 'dockbell run list'."],
  ])('that is too short or of another kind (%s) is explained', async (text, hint) => {
    const { code, stderr } = await run('run', 'show', text);
    expect([code, stderr.split('\n')[0]]).toEqual([1, `There is no run '${text}'.`]);
    expect(stderr).toContain(hint);
  });

  it('of a webhook is found by a prefix, also of a deleted one, and by last', async () => {
    const shown = (ref: string) => show('webhook', 'show', ref, '--factory', 'payments');
    expect((await shown(WEBHOOK_UID.slice(0, 12))).uid).toBe(WEBHOOK_UID);
    expect((await shown(DELETED_UID.slice(0, 12))).uid).toBe(DELETED_UID);
    expect((await shown('last')).name).toBeTypeOf('string');
  });

  it('of a token and of a user may be abbreviated too', async () => {
    const made = await show('token', 'create', 'grafana');
    await runCli(['user', 'create', 'alice'], { env, clock: services.clock, stdin: 'a long enough password' });
    const [alice] = (await show('user', 'list')).data;
    expect((await run('user', 'sign-out', alice.id.slice(0, 20))).stdout).toContain('User alice is signed out');
    // The token of these tests was made in the same millisecond.
    expect((await run('token', 'revoke', abbreviate(made.id))).stderr).toContain(`\n  ${made.id}\n`);
    expect((await run('token', 'revoke', made.id)).stdout).toBe(`Revoked token ${made.id}.\n`);
  });
});

describe('the delivery ID of the sender', () => {
  const named = (id: string, more: Partial<Delivery>): Delivery =>
    makeDelivery({ id: id as Delivery['id'], deliveryId: 'build-4712', deliveryIdSource: 'header', ...more });

  it('names the accepted entry, not what repeats it', async () => {
    deliveries = [named(REJECTED_ID, { label: 'Duplicate' }), named(DELIVERY_ID, {})];
    expect((await show('delivery', 'show', 'build-4712')).id).toBe(DELIVERY_ID);
    expect(searches).toContainEqual(expect.objectContaining({ factory: 'payments', identity: 'build-4712' }));
  });

  it('names the rejected entry for diagnose', async () => {
    deliveries = [named(DELIVERY_ID, {}), named(REJECTED_ID, { label: 'Rejected (auth)' })];
    const { code, stdout } = await run('diagnose', 'build-4712');
    expect([code, stdout]).toEqual([1, expect.stringContaining('dockbell webhook capture internal-ci')]);
    expect(services.seen.diagnosed).toEqual([REJECTED_ID]);
  });

  it('names the delivery for filter test too', async () => {
    deliveries = [named(DELIVERY_ID, {})];
    const argv = ['filter', 'test', '--automation', 'fix-errors', '--delivery', 'build-4712', '--factory', 'payments'];
    const { stdout } = await run(...argv);
    expect(stdout).toContain('trigger');
    expect(searches).toContainEqual(expect.objectContaining({ identity: 'build-4712' }));
  });

  it('that two webhooks have received is rejected as ambiguous', async () => {
    deliveries = [named(DELIVERY_ID, {}), named(REPLAY_ID, { webhookUid: DELETED_UID, webhookName: 'other-ci' })];
    const { code, stderr } = await run('delivery', 'show', 'build-4712');
    expect(code).toBe(2);
    expect(stderr).toContain(`${REPLAY_ID}  payments/other-ci`);
  });

  it('that nobody sent is reported', async () => {
    const { code, stderr } = await run('delivery', 'show', 'build-4713');
    expect([code, stderr.split('\n')[0]]).toEqual([1, "There is no delivery 'build-4713'."]);
  });
});

describe('delivery list', () => {
  it('lists the whole factory without a webhook, and names the webhooks', async () => {
    const { code, stdout } = await run('delivery', 'list', '--factory', 'payments');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ID .* WEBHOOK .*\n.* internal-ci /);
    expect(searches[0]).toMatchObject({ factory: 'payments' });
  });

  it('searches by the delivery ID of the sender and by time', async () => {
    const options = ['--delivery-id', 'build-4712', '--from', '2h', '--to', '2026-01-02T03:00:00Z'];
    await run('delivery', 'list', ...options, '--factory', 'payments');
    const times = { fromAt: NOW_MS - 2 * 3_600_000, untilAt: Date.parse('2026-01-02T03:00:00Z') };
    expect(searches[0]).toMatchObject({ identity: 'build-4712', ...times });
  });

  it.each(['yesterday', '2026-01-02', '5'])('rejects --from %s', async (text) => {
    const { code, stderr } = await run('delivery', 'list', '--from', text);
    expect(code).toBe(2);
    expect(stderr).toContain('Use a time such as 2026-01-31T08:00:00Z, or a duration such as 30m or 2h.');
  });
});

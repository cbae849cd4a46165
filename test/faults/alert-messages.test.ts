import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AlertWorld, startAlertWorld } from '../helpers/alert-world.ts';
import { startDashboardFactory } from '../helpers/dashboard-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { answer, hangUp } from '../helpers/run-receiver.ts';

let world: AlertWorld;
beforeAll(async () => {
  world = await startAlertWorld({});
});
afterAll(() => world?.close());

describe('a target of alerts gets', () => {
  it('one message for alerts that open within the group wait', async () => {
    await world.setAlerts({ groupWait: '3s', targets: [world.ops()] });
    const before = world.receiver.taken.length;
    const ids = [await world.createToken('a'), await world.createToken('b')];
    await eventually(() => world.eventsOf('b')[0]);
    expect(world.receiver.taken.length).toBe(before + 1);
    expect(world.receiver.taken.at(-1)!.body.data).toMatchObject({ title: '2 alerts: 2 open' });
    for (const id of ids) await world.revoke(id);
    await eventually(() => world.eventsOf('b').length === 2);
  });

  it('repetitions until somebody acknowledges the alert', async () => {
    await world.setAlerts({ repeatInterval: '1s', targets: [world.ops()] });
    const token = await world.createToken('repeated');
    await eventually(() => world.eventsOf('repeated').length >= 3);
    expect(
      world
        .eventsOf('repeated')
        .map(({ event }) => event)
        .slice(0, 3),
    ).toEqual(['opened', 'repeated', 'repeated']);
    expect(await world.daemon.cli('alert', 'acknowledge', world.eventsOf('repeated')[0].id)).toMatchObject({ code: 0 });
    await wait(500);
    const count = world.eventsOf('repeated').length;
    await wait(3000);
    expect(world.eventsOf('repeated').length).toBe(count);
    await world.revoke(token);
    await eventually(() => world.eventsOf('repeated').at(-1)?.event === 'resolved');
    await world.setAlerts({ targets: [world.ops()] });
  });

  it('the same message again, with the same ID, when it did not answer', async () => {
    world.receiver.script(hangUp, answer(503), answer(200));
    const token = await world.createToken('retried');
    await eventually(() => world.eventsOf('retried').length === 3, 40_000);
    const attempts = world.receiver.taken.slice(-3);
    expect(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(attempts.map(({ text }) => text)).size).toBe(1);
    await world.revoke(token);
    await eventually(() => world.eventsOf('retried').at(-1)?.event === 'resolved');
  });

  it('only the alerts of its rules and factories', async () => {
    await world.setAlerts({
      targets: [
        world.ops(),
        world.ops({ name: 'others', rules: ['disk'] }),
        world.ops({ name: 'team', factories: ['payments'] }),
      ],
    });
    const token = await world.createToken('routed');
    await eventually(() => world.eventsOf('routed')[0]);
    await wait(1500);
    expect(world.eventsOf('routed').length).toBe(1);
    await world.revoke(token);
    await eventually(() => world.eventsOf('routed').length === 2);
  });

  it('its message, once, after a kill of the daemon between the alert and the message', async () => {
    await world.setAlerts({ groupWait: '8s', targets: [world.ops()] });
    await world.createToken('killed');
    await eventually(async () => (await world.daemon.api('/alerts?state=open')).body.data[0]);
    expect(world.eventsOf('killed')).toEqual([]);
    await world.killAndStart();
    expect(world.eventsOf('killed')).toEqual([]);
    await eventually(() => world.eventsOf('killed')[0]);
    await wait(2000);
    expect(world.eventsOf('killed').map(({ event }) => event)).toEqual(['opened']);
    expect((await world.daemon.api('/alerts?state=active')).body.data.length).toBe(1);
  });
});

it('opens an alert for requests over the delivery rate, when their minute has ended', async () => {
  const config = { limits: { deliveriesPerMinute: 1 }, alerts: { interval: '1s' } };
  const factory = await startDashboardFactory('exit 0', config);
  try {
    const sent = [await factory.send('{"n": 1}'), await factory.send('{"n": 2}'), await factory.send('{"n": 3}')];
    expect(sent.map(({ status }) => status)).toEqual([202, 429, 429]);
    const list = async () => (await factory.daemon.api('/alerts?state=open&rule=rateLimited')).body.data[0];
    expect(await eventually(list, 90_000)).toMatchObject({
      summary: '2 requests got 429 in the last 5 minutes.',
      object: { kind: 'webhook', name: 'ci' },
    });
  } finally {
    await factory.daemon.end('SIGKILL');
  }
});

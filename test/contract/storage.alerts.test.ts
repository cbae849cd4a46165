import { describe, expect, it } from 'vitest';
import type { Alert, AlertNotice } from '../../src/domain/messages/alert.ts';
import { buildAlert } from '../helpers/build-alert.ts';
import { applyFactory, buildAutomation, buildWebhook, EDITOR, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, buildRejection, ids, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const PAGE = { limit: 10, cursor: null, state: null, rule: null, factories: null };

describe.each(STORAGES)('the alerts on $name', (kind) => {
  const opened = useStorage(kind);
  const store = () => opened.storage.alertStore;
  const messages = () => opened.storage.alertMessages;
  const reader = () => opened.storage.alertReader;
  const open = (...alerts: Alert[]) => store().change({ opened: alerts, changed: [], notices: [] });
  const resolve = (alert: Alert, at: number) =>
    store().change({ opened: [], changed: [{ ...alert, state: 'resolved', resolvedAt: at }], notices: [] });

  it('continue after a restart, until they are resolved', async () => {
    const [alert, other] = [buildAlert(), buildAlert({ rule: 'disk', factory: null, object: null })];
    await open(alert, other);
    await opened.reopen();
    expect(await store().active()).toEqual([alert, other]);
    await resolve(other, START_MS + 1);
    expect(await store().active()).toEqual([alert]);
    expect(await store().get(other.id)).toMatchObject({ state: 'resolved', resolvedAt: START_MS + 1 });
  });

  it('are one for each rule and object', async () => {
    const alert = buildAlert();
    await open(alert);
    await expect(open(buildAlert())).rejects.toThrow();
    await open(buildAlert({ object: 'other' }), buildAlert({ factory: 'other' }), buildAlert({ rule: 'failureRate' }));
    await resolve(alert, START_MS);
    await open(buildAlert());
    expect((await store().active()).length).toBe(4);
  });

  it('are acknowledged once, and an evaluation changes nothing of that', async () => {
    const alert = buildAlert();
    await open(alert);
    const acknowledged = await store().acknowledge(alert.id, EDITOR, 'on it', START_MS + 5);
    expect(acknowledged).toMatchObject({ state: 'acknowledged', acknowledgedBy: EDITOR, note: 'on it' });
    expect(await store().acknowledge(alert.id, EDITOR, null, START_MS + 6)).toBeNull();
    await store().change({ opened: [], changed: [{ ...alert, count: 2 }], notices: [] });
    expect(await store().get(alert.id)).toMatchObject({ state: 'acknowledged', count: 2, note: 'on it' });
    await resolve(alert, START_MS + 9);
    expect(await store().get(alert.id)).toMatchObject({ state: 'resolved', acknowledgedBy: EDITOR });
  });

  it('are listed newest first, by state, rule and factory', async () => {
    const [a, b, c] = [
      buildAlert(),
      buildAlert({ rule: 'silent', factory: 'shop' }),
      buildAlert({ rule: 'disk', factory: null }),
    ];
    await open(a, b, c);
    await resolve(a, START_MS);
    const list = async (more: object) => (await store().list({ ...PAGE, ...more })).data.map(({ id }) => id);
    expect(await list({})).toEqual([c.id, b.id, a.id]);
    expect(await list({ state: 'active' })).toEqual([c.id, b.id]);
    expect(await list({ state: 'resolved' })).toEqual([a.id]);
    expect(await list({ rule: 'silent' })).toEqual([b.id]);
    expect(await list({ factories: ['payments', 'shop'] })).toEqual([b.id, a.id]);
    expect(await list({ factories: [] })).toEqual([]);
    const first = await store().list({ ...PAGE, limit: 2 });
    expect((await store().list({ ...PAGE, limit: 2, cursor: first.nextCursor })).data).toMatchObject([{ id: a.id }]);
  });

  it('and messages that are old are deleted', async () => {
    const [old, recent] = [buildAlert(), buildAlert({ object: 'b' })];
    await store().change({ opened: [old, recent], changed: [], notices: [notify(old, 'gone', START_MS)] });
    await resolve(old, START_MS);
    await resolve(recent, START_MS + 100);
    await store().prune(START_MS + 50);
    expect((await store().list(PAGE)).data).toMatchObject([{ id: recent.id }]);
    expect(await messages().nextDueAt('gone')).toBeNull();
  });

  it('get the new name of their factory, and end under the name that it replaces', async () => {
    await applyFactory(opened.storage, { webhooks: [], automations: [] });
    await applyFactory(opened.storage, { factory: 'shop', webhooks: [], automations: [] });
    const [kept, replaced] = [buildAlert(), buildAlert({ factory: 'shop' })];
    await open(kept, replaced);
    await opened.storage.factoryNames.rename({ from: FACTORY, to: 'shop', isHosted: false, at: START_MS });
    expect(await store().active()).toEqual([{ ...kept, factory: 'shop' }]);
  });

  const notify = (alert: Alert, target: string, dueAt: number, event: AlertNotice['event'] = 'opened') => {
    return { target, alert: alert.id, event, dueAt };
  };

  describe('in messages', () => {
    it('are grouped by target, and each is in one message, after a restart too', async () => {
      const [a, b] = [buildAlert(), buildAlert({ object: 'b' })];
      const notices = [notify(a, 'ops', START_MS + 30), notify(b, 'ops', START_MS + 60), notify(a, 'chat', START_MS)];
      await store().change({ opened: [a, b], changed: [], notices });
      expect(await messages().nextDueAt('ops')).toBe(START_MS + 30);
      expect(await messages().next('ops')).toBeNull();
      const id = ids.alertMessageId(START_MS);
      await messages().compose({ id, target: 'ops', at: START_MS + 30, limit: 100 });
      await opened.reopen();
      const message = (await messages().next('ops'))!;
      expect(message).toMatchObject({ id, attempts: 0, problem: null, dueAt: START_MS + 30 });
      expect(message.items.map(({ id: alert, event }) => [alert, event])).toEqual([
        [a.id, 'opened'],
        [b.id, 'opened'],
      ]);
      expect(await messages().nextDueAt('ops')).toBeNull();
      expect(await messages().nextDueAt('chat')).toBe(START_MS);
      await messages().postpone(id, { problem: 'it responded with 503', dueAt: START_MS + 99 });
      expect(await messages().next('ops')).toMatchObject({ attempts: 1, problem: 'it responded with 503' });
      await messages().remove(id);
      expect(await messages().next('ops')).toBeNull();
    });

    it('appear once, as resolved, if they ended before', async () => {
      const alert = buildAlert();
      await store().change({ opened: [alert], changed: [], notices: [notify(alert, 'ops', START_MS)] });
      const resolved = { ...alert, state: 'resolved', resolvedAt: START_MS + 1 } as const;
      await store().change({ opened: [], changed: [resolved], notices: [notify(alert, 'ops', START_MS, 'resolved')] });
      await messages().compose({ id: ids.alertMessageId(START_MS), target: 'ops', at: START_MS, limit: 100 });
      expect((await messages().next('ops'))!.items).toMatchObject([{ event: 'resolved', resolvedAt: START_MS + 1 }]);
    });

    it('are limited in number, and the rest is the next message', async () => {
      const alerts = Array.from({ length: 3 }, (_, i) => buildAlert({ object: `a${i}` }));
      const notices = alerts.map((alert) => notify(alert, 'ops', START_MS));
      await store().change({ opened: alerts, changed: [], notices });
      await messages().compose({ id: ids.alertMessageId(START_MS), target: 'ops', at: START_MS, limit: 2 });
      expect((await messages().next('ops'))!.items.length).toBe(2);
      expect(await messages().nextDueAt('ops')).toBe(START_MS);
    });
  });

  describe('read', () => {
    it('enabled webhooks that expect deliveries, with the last accepted one', async () => {
      const webhooks = [
        buildWebhook({ name: 'nightly', expectEvery: '24h' }),
        buildWebhook({ name: 'off', expectEvery: '24h', enabled: false }),
        buildWebhook({ name: 'other' }),
      ];
      const factory = await applyFactory(opened.storage, { webhooks, automations: [buildAutomation()] });
      expect(await reader().expectedWebhooks(10)).toMatchObject([{ name: 'nightly', lastAcceptedAt: null }]);
      const { ref } = factory.webhooks.find(({ name }) => name === 'nightly')!;
      await opened.storage.deliveryLog.record([buildOffer({ webhook: ref })]);
      expect(await reader().expectedWebhooks(10)).toMatchObject([
        { factory: FACTORY, name: 'nightly', expectEvery: '24h', lastAcceptedAt: START_MS },
      ]);
    });

    it('those webhooks that accepted nothing for the longest time, if there are more than the limit', async () => {
      const webhooks = ['first', 'second', 'third'].map((name) => buildWebhook({ name, expectEvery: '24h' }));
      const factory = await applyFactory(opened.storage, { webhooks, automations: [buildAutomation()] });
      const refOf = (name: string) => factory.webhooks.find((webhook) => webhook.name === name)!.ref;
      const at = { first: START_MS + 3000, second: START_MS + 1000, third: START_MS + 2000 };
      for (const [name, receivedAt] of Object.entries(at))
        await opened.storage.deliveryLog.record([buildOffer({ webhook: refOf(name), body: name, at: receivedAt })]);
      expect(await reader().expectedWebhooks(2)).toMatchObject([{ name: 'second' }, { name: 'third' }]);
    });

    it('requests that were rejected or exceeded the rate in a period, newest first', async () => {
      const { webhooks } = await applyFactory(opened.storage, {
        webhooks: [buildWebhook(), buildWebhook({ name: 'other' })],
      });
      const [webhook, other] = webhooks.map(({ ref }) => ref) as [number, number];
      await opened.storage.deliveryLog.record([
        buildRejection({ webhook, at: START_MS - 1 }),
        buildRejection({ webhook, at: START_MS, count: 7 }),
        buildOffer({ webhook, at: START_MS }),
        buildRejection({ webhook: other, at: START_MS + 1, label: 'Rejected (too large)' }),
        { ...buildRejection({ webhook, at: START_MS + 2, count: 30 }), label: null },
        buildRejection({ webhook, at: START_MS + 9 }),
      ]);
      const period = { from: START_MS, until: START_MS + 9 };
      const found = await reader().unacceptedRequests({ ...period, limit: 9 });
      expect(found).toEqual([
        { webhook, kind: 'limited', count: 30, receivedAt: START_MS + 2 },
        { webhook: other, kind: 'rejected', count: 1, receivedAt: START_MS + 1 },
        { webhook, kind: 'rejected', count: 7, receivedAt: START_MS },
      ]);
      expect(await reader().unacceptedRequests({ ...period, limit: 1 })).toEqual([found[0]]);
    });

    it('tokens that expire in a period', async () => {
      const token = { name: 'ci', role: 'viewer', factories: null, createdAt: 0, lastUsedAt: null } as const;
      for (const [i, expiresAt] of [START_MS - 1, START_MS + 5, START_MS + 50, null].entries())
        await opened.storage.tokens.insert({ ...token, id: ids.tokenId(i), expiresAt }, new Uint8Array(32).fill(i));
      const found = await reader().expiringTokens({ from: START_MS, until: START_MS + 10, limit: 10 });
      expect(found).toMatchObject([{ name: 'ci', expiresAt: START_MS + 5 }]);
    });

    it('the oldest run that waits, and the runs that failed', async () => {
      const factory = await applyFactory(opened.storage, {
        webhooks: [buildWebhook()],
        automations: [buildAutomation()],
      });
      const [{ ref }, { version }] = [factory.webhooks[0]!, factory.automations[0]!];
      const runs = [{ automation: 'fix-errors', version }];
      await opened.storage.deliveryLog.record([buildOffer({ webhook: ref, runs })]);
      const { data } = await opened.storage.runReader.list({ factory: FACTORY, limit: 1, cursor: null });
      expect(await reader().oldestWaiting(FACTORY)).toEqual({ run: data[0]!.id, at: START_MS });
      expect(await reader().oldestWaiting('other')).toBeNull();
      const { runQueue } = opened.storage;
      const { inputs } = await runQueue.claim({
        factory: FACTORY,
        executor: 'command',
        limit: 1,
        at: START_MS,
      } as never);
      const result = { state: 'failed', error: 'exit code 1', exitCode: 1 } as const;
      const { id, attempt } = inputs[0]!.run;
      await runQueue.finish({ id, attempt, result, at: START_MS + 10 } as never);
      expect(await reader().oldestWaiting(FACTORY)).toBeNull();
      expect(await reader().deadLetters({ factory: FACTORY, sinceAt: START_MS + 10, limit: 9 })).toBe(1);
      expect(await reader().deadLetters({ factory: FACTORY, sinceAt: START_MS + 11, limit: 9 })).toBe(0);
      expect(await reader().failedAutomations(FACTORY, 10)).toEqual([
        { automation: 'fix-errors', failedInARow: 1, recent: 1, recentFailed: 1 },
      ]);
    });
  });
});

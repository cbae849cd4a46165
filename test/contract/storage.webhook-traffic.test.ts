import { beforeEach, describe, expect, it } from 'vitest';
import { NO_TRAFFIC } from '../../src/domain/deliveries/webhook-traffic.ts';
import type { WebhookUid } from '../../src/domain/ids.ts';
import { applyOneOfEach, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, buildRejection, buildReplay, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const POLICY = { deliveriesMs: 1, minDeliveries: 1, identitiesMs: 1, runsMs: 1, auditMs: 1, secretVersionsMs: 1 };

describe.each(STORAGES)('the traffic of a webhook on $name', (kind) => {
  const opened = useStorage(kind);
  let webhook: number;
  let uid: WebhookUid;

  beforeEach(async () => {
    const applied = await applyOneOfEach(opened.storage);
    webhook = applied.webhook;
    uid = applied.uid as WebhookUid;
  });

  const at = (seconds: number) => START_MS + seconds * 1000;
  const accept = (seconds: number, key?: string) =>
    buildOffer({ webhook, at: at(seconds), ...(key !== undefined && { key }) });
  const fail = (seconds: number, more: { count?: number; reason?: string } = {}) => ({
    ...buildRejection({ webhook, at: at(seconds) }),
    ...more,
  });
  const record = (...entries: Parameters<typeof opened.storage.deliveryLog.record>[0]) =>
    opened.storage.deliveryLog.record(entries);
  const traffic = async () => (await opened.storage.inventoryReader.webhook(uid))!.traffic;

  it('is empty without requests', async () => {
    expect(await traffic()).toEqual(NO_TRAFFIC);
  });

  it('has the last accepted delivery, not the last duplicate, rejection or replay', async () => {
    const first = accept(0, 'a');
    await record(first, accept(1, 'b'));
    await record(accept(2, 'b'), buildRejection({ webhook, at: at(3), label: 'Rejected (too large)' }));
    await record(buildReplay(first, { webhook, at: at(4) }));
    expect(await traffic()).toEqual({ lastAcceptedAt: at(1), credentialFailure: null });
    const [listed] = await opened.storage.inventoryReader.webhooks(FACTORY);
    expect(listed!.traffic.lastAcceptedAt).toBe(at(1));
  });

  it('counts the requests whose credential failed since one was accepted, from the first on', async () => {
    await record(fail(0), accept(1), fail(2), fail(3, { reason: 'stale_timestamp' }));
    const failure = { since: at(2), lastAt: at(3), count: 2, reason: 'stale_timestamp' };
    expect(await traffic()).toEqual({ lastAcceptedAt: at(1), credentialFailure: failure });
    await record(fail(60, { count: 40, reason: 'summed_up' }), fail(61));
    const later = { since: at(2), lastAt: at(61), count: 43, reason: 'bad_credential' };
    expect(await traffic()).toMatchObject({ credentialFailure: later });
    await record(fail(62, { count: 5, reason: 'summed_up' }));
    expect(await traffic()).toMatchObject({ credentialFailure: { count: 48, reason: 'bad_credential' } });
  });

  it('has a failing credential also if nothing was ever accepted', async () => {
    await record(fail(0), fail(1));
    expect(await traffic()).toMatchObject({ lastAcceptedAt: null, credentialFailure: { since: at(0), count: 2 } });
  });

  it.each([
    ['an accepted delivery', () => [accept(5)], at(5)],
    ['a duplicate', () => [accept(5, 'a')], at(0)],
    ['invalid JSON', () => [buildRejection({ webhook, at: at(5), label: 'Rejected (invalid JSON)' })], at(0)],
  ])('has no failing credential after %s', async (_, entries, lastAcceptedAt) => {
    await record(accept(0, 'a'), fail(1));
    expect(await traffic()).toMatchObject({ credentialFailure: { count: 1 } });
    await record(...entries());
    expect(await traffic()).toEqual({ lastAcceptedAt, credentialFailure: null });
  });

  it('keeps a failing credential after a body that was too large to be checked', async () => {
    await record(fail(0), buildRejection({ webhook, at: at(1), label: 'Rejected (too large)' }));
    expect(await traffic()).toMatchObject({ credentialFailure: { count: 1 } });
  });

  it('does not count a summary of rejections before the last accepted delivery', async () => {
    await record(accept(30));
    await record(fail(10, { count: 9, reason: 'summed_up' }));
    expect(await traffic()).toEqual({ lastAcceptedAt: at(30), credentialFailure: null });
  });

  it('outlives a restart and the rows of the log', async () => {
    await record(accept(0), fail(1), fail(2));
    await opened.reopen();
    while ((await opened.storage.retention.prune(POLICY, at(100_000_000))).more);
    const { data } = await opened.storage.deliveryReader.list({ webhookUid: uid, label: null, limit: 9, cursor: null });
    expect(data).toHaveLength(1);
    await record(fail(200_000_000));
    const credentialFailure = { since: at(1), lastAt: at(200_000_000), count: 3, reason: 'bad_credential' };
    expect(await traffic()).toEqual({ lastAcceptedAt: at(0), credentialFailure });
  });
});

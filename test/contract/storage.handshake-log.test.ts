import { describe, expect, it } from 'vitest';
import type { HandshakeEntry } from '../../src/domain/deliveries/handshake.ts';
import type { WebhookUid } from '../../src/domain/ids.ts';
import { applyFactory, buildApply, buildAudited, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const POLICY = {
  deliveriesMs: 7 * DAY_MS,
  minDeliveries: 2,
  identitiesMs: DAY_MS,
  runsMs: DAY_MS,
  auditMs: DAY_MS,
  secretVersionsMs: DAY_MS,
};

function buildEntry(webhook: number, more: Partial<HandshakeEntry> = {}): HandshakeEntry {
  return {
    webhook,
    handshake: 'slack url_verification',
    outcome: 'answered',
    detail: null,
    count: 1,
    receivedAt: START_MS,
    clientAddress: '192.0.2.7',
    ...more,
  };
}

describe.each(STORAGES)('the log of handshakes on $name', (kind) => {
  const opened = useStorage(kind);
  const list = (webhookUid: WebhookUid, limit = 100, cursor: string | null = null) =>
    opened.storage.handshakeLog.list({ webhookUid, limit, cursor });

  async function applyTwo() {
    const webhooks = [buildWebhook({ name: 'a' }), buildWebhook({ name: 'b' })];
    return (await applyFactory(opened.storage, { webhooks })).webhooks;
  }

  it('lists entries newest first, separately for each webhook', async () => {
    const [a, b] = await applyTwo();
    const first = buildEntry(a!.ref);
    const second = buildEntry(a!.ref, { outcome: 'refused', detail: 'wrong', count: 12, receivedAt: START_MS + 1 });
    for (const entry of [first, second, buildEntry(b!.ref)]) await opened.storage.handshakeLog.append(entry);
    const { webhook: _, ...shown } = second;
    const page = await list(a!.uid);
    expect(page.data[0]).toEqual({ ...shown, webhookUid: a!.uid });
    expect(page.data.map(({ outcome }) => outcome)).toEqual(['refused', 'answered']);
    expect((await list(b!.uid)).data).toHaveLength(1);
    expect((await list('wh_unknown')).data).toEqual([]);
  });

  it('is listed in pages', async () => {
    const [a] = await applyTwo();
    for (let i = 0; i < 5; i++) await opened.storage.handshakeLog.append(buildEntry(a!.ref, { count: i + 1 }));
    const first = await list(a!.uid, 2);
    const second = await list(a!.uid, 2, first.nextCursor);
    const third = await list(a!.uid, 2, second.nextCursor);
    expect([first, second, third].map(({ data }) => data.map(({ count }) => count))).toEqual([[5, 4], [3, 2], [1]]);
    expect(third.nextCursor).toBeNull();
    await expect(list(a!.uid, 2, 'nonsense')).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('is kept as long as deliveries', async () => {
    const [a] = await applyTwo();
    for (const days of [0, 1, 6]) {
      await opened.storage.handshakeLog.append(buildEntry(a!.ref, { receivedAt: START_MS + days * DAY_MS }));
    }
    await opened.storage.retention.prune(POLICY, START_MS + 7.5 * DAY_MS);
    expect((await list(a!.uid)).data.map(({ receivedAt }) => receivedAt)).toEqual([
      START_MS + 6 * DAY_MS,
      START_MS + DAY_MS,
    ]);
  });
});

describe.each(STORAGES)('secrets of webhooks on $name', (kind) => {
  const opened = useStorage(kind);

  it('can be pinned to a new version if nothing else has changed', async () => {
    const [webhook] = (await applyFactory(opened.storage, { webhooks: [buildWebhook()] })).webhooks;
    const { inventory, inventoryReader } = opened.storage;
    expect(await inventory.pinSecret(webhook!.uid, { from: 1, to: 2 }, buildAudited(FACTORY, START_MS + 5))).toBe(true);
    expect(await inventoryReader.webhook(webhook!.uid)).toMatchObject({ secretVersion: 2, updatedAt: START_MS + 5 });
    expect(await inventory.pinSecret(webhook!.uid, { from: 1, to: 3 }, buildAudited(FACTORY, START_MS + 6))).toBe(
      false,
    );
    await applyFactory(opened.storage, { webhooks: [], deleteWebhooks: [webhook!.uid] });
    expect(await inventory.pinSecret(webhook!.uid, { from: 2, to: 3 }, buildAudited(FACTORY, START_MS + 7))).toBe(
      false,
    );
    expect(await inventoryReader.webhook(webhook!.uid)).toMatchObject({ secretVersion: 2 });
  });

  it('stay pinned if a change was planned before the pin', async () => {
    const [webhook] = (await applyFactory(opened.storage, { webhooks: [buildWebhook()] })).webhooks;
    const { inventory, inventoryReader } = opened.storage;
    const { uid } = webhook!;
    await inventory.pinSecret(uid, { from: 1, to: 2 }, buildAudited(FACTORY, START_MS + 5));
    const webhooks = [buildWebhook({ uid, name: 'renamed', enabled: false })];
    const applying = inventory.apply(buildApply({ webhooks, plannedFrom: [[uid, 1]] }));
    await expect(applying).rejects.toMatchObject({ code: 'conflict' });
    expect(await inventoryReader.webhook(uid)).toMatchObject({ secretVersion: 2, name: webhook!.name, enabled: true });
    await inventory.apply(buildApply({ webhooks, plannedFrom: [[uid, 2]] }));
    expect(await inventoryReader.webhook(uid)).toMatchObject({ name: 'renamed', enabled: false });
  });

  it('count as used by a verify token, and keep its pinned version', async () => {
    const { sealedSecrets, retention } = opened.storage;
    for (const [name, version] of [
      ['APP', 1],
      ['VERIFY', 1],
      ['VERIFY', 2],
    ] as const) {
      await sealedSecrets.insert({
        name,
        version,
        sealed: new Uint8Array([version]),
        createdAt: START_MS,
        createdBy: null,
      });
    }
    const webhook = buildWebhook({
      name: 'w',
      secretName: 'APP',
      secretVersion: 1,
      verifyTokenSecretName: 'VERIFY',
      verifyTokenSecretVersion: 1,
    });
    const { webhooks } = await applyFactory(opened.storage, { webhooks: [webhook] });
    expect(webhooks[0]).toMatchObject({ verifyTokenSecretName: 'VERIFY', verifyTokenSecretVersion: 1 });
    const uses = (await sealedSecrets.list()).map(({ name, usedBy }) => [name, usedBy.map(({ version }) => version)]);
    expect(uses).toEqual([
      ['APP', [1]],
      ['VERIFY', [1]],
    ]);
    for (let pass = 0; pass < 3; pass++) await retention.prune(POLICY, START_MS);
    expect(await sealedSecrets.get('VERIFY', 1)).not.toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { RetentionPolicy } from '../../src/domain/ports/operations.ts';
import {
  applyFactory,
  applyOneOfEach,
  buildAutomation,
  buildReconciliation,
  buildWebhook,
  FACTORY,
} from '../helpers/build-apply.ts';
import { buildOffer, buildRejection, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const POLICY: RetentionPolicy = {
  deliveriesMs: 7 * DAY_MS,
  minDeliveries: 2,
  identitiesMs: 90 * DAY_MS,
  runsMs: 30 * DAY_MS,
  auditMs: 365 * DAY_MS,
  secretVersionsMs: 30 * DAY_MS,
};
/** Maximum number of rows that one piece removes. */
const PIECE_ROWS = 500;
const SUCCEEDED = { state: 'succeeded', error: null, exitCode: 0 } as const;

describe.each(STORAGES)('retention on $name', (kind) => {
  const opened = useStorage(kind);
  const record = (...batch: Parameters<typeof opened.storage.deliveryLog.record>[0]) =>
    opened.storage.deliveryLog.record(batch);

  /** One complete pass, `days` after the start. */
  async function prune(days: number, policy: Partial<RetentionPolicy> = {}) {
    const removedRuns: string[] = [];
    let pieces = 0;
    for (let more = true; more; pieces += 1) {
      const piece = await opened.storage.retention.prune({ ...POLICY, ...policy }, START_MS + days * DAY_MS);
      removedRuns.push(...piece.removedRuns);
      more = piece.more;
    }
    return { removedRuns, pieces };
  }

  async function listIds(webhookUid: string): Promise<string[]> {
    const request = { webhookUid: webhookUid as 'wh_', label: null, limit: 5000, cursor: null };
    return (await opened.storage.deliveryReader.list(request)).data.map((delivery) => delivery.id);
  }

  it('does not count entries of rate-limited requests as deliveries to keep, and removes their delivery IDs', async () => {
    const { webhook, uid } = await applyOneOfEach(opened.storage);
    const offers = [0, 1, 2].map((minute) => buildOffer({ webhook, at: START_MS + minute * 60_000 }));
    const limited = [3, 4, 5].map((minute) => ({
      ...buildRejection({ webhook, at: START_MS + minute * 60_000 }),
      label: null,
      deliveryIds: ['x', `id-${minute}`],
    }));
    const newest = buildOffer({ webhook, at: START_MS + 10 * DAY_MS });
    await record(...offers, ...limited, newest);
    const find = async (identity: string) => {
      const page = { webhookUid: uid as 'wh_', label: null, limit: 10, cursor: null };
      return (await opened.storage.deliveryReader.list({ ...page, identity })).data.map(({ id }) => id);
    };
    expect(await find('x')).toEqual(limited.map(({ id }) => id).reverse());
    expect(await find('id-4')).toEqual([limited[1]!.id]);
    await prune(8);
    // The two most recent deliveries remain, and what is newer than them.
    expect(await listIds(uid)).toEqual([newest.id, ...limited.map(({ id }) => id).reverse(), offers[2]!.id]);
    await prune(8, { minDeliveries: 1 });
    expect(await listIds(uid)).toEqual([newest.id]);
    const another = buildOffer({ webhook, at: START_MS + 10 * DAY_MS });
    await record(another);
    expect(await find('x')).toEqual([]);
  });

  it('removes listeners of past applies after the last delivery that was evaluated with them', async () => {
    const webhook = buildWebhook();
    const { uid } = webhook;
    const apply = async (name: string) => {
      const more = { webhooks: [webhook], automations: [buildAutomation({ name, listensTo: [[uid]] })] };
      return applyFactory(opened.storage, { ...more, deleteAutomations: ['a', 'b', 'c'].filter((one) => one < name) });
    };
    const offerAfter = async (name: string, days: number) => {
      const { applyNumber, webhooks } = await apply(name);
      return { ...buildOffer({ webhook: webhooks[0]!.ref, at: START_MS + days * DAY_MS }), applyNumber };
    };
    const offers = [await offerAfter('a', 0), await offerAfter('b', 2), await offerAfter('c', 4)];
    await record(...offers);
    const namesAt = async ({ applyNumber }: { applyNumber: number }) => {
      const search = { webhook: uid, applyNumber, names: null, after: null, limit: 10 };
      return (await opened.storage.deliveryReader.listeners(search)).map(({ automation }) => automation);
    };
    const remaining = async () => (await Promise.all(offers.map(namesAt))).flat();

    await prune(6);
    expect(await remaining()).toEqual(['a', 'b', 'c']);
    await prune(8, { minDeliveries: 0 });
    await prune(8, { minDeliveries: 0 });
    expect(await remaining()).toEqual(['b', 'c']);
    await prune(10, { minDeliveries: 0 });
    await prune(10, { minDeliveries: 0 });
    expect(await remaining()).toEqual(['c']);
    // The live listeners stay without a delivery.
    await prune(100, { minDeliveries: 0 });
    await prune(100, { minDeliveries: 0 });
    expect(await remaining()).toEqual(['c']);
  });

  it('keeps listeners for deliveries that are still being recorded', async () => {
    const webhook = buildWebhook();
    const automation = buildAutomation({ listensTo: [[webhook.uid]] });
    const { applyNumber } = await applyFactory(opened.storage, { webhooks: [webhook], automations: [automation] });
    await applyFactory(opened.storage, { deleteAutomations: [automation.name] });
    const search = { webhook: webhook.uid, applyNumber, names: null, after: null, limit: 10 };
    await prune(1 / 48);
    expect(await opened.storage.deliveryReader.listeners(search)).toHaveLength(1);
    await prune(1);
    expect(await opened.storage.deliveryReader.listeners(search)).toEqual([]);
  });

  it('removes expired entries with their payloads, and keeps the newest entries of each webhook', async () => {
    const webhooks = [buildWebhook({ name: 'busy' }), buildWebhook({ name: 'quiet' })];
    const applied = await applyFactory(opened.storage, { webhooks });
    const [busy, quiet] = applied.webhooks;
    const ofQuiet = [buildOffer({ webhook: quiet!.ref }), buildOffer({ webhook: quiet!.ref })];
    const ofBusy = [1, 2, 3].map(() => buildOffer({ webhook: busy!.ref }));
    const rejected = buildRejection({ webhook: busy!.ref });
    await record(...ofQuiet, ...ofBusy, rejected);

    await prune(6.9);
    expect(await listIds(busy!.uid)).toHaveLength(4);
    await prune(7.1);
    expect(await listIds(busy!.uid)).toEqual([rejected.id, ofBusy[2]!.id]);
    expect(await listIds(quiet!.uid)).toEqual([ofQuiet[1]!.id, ofQuiet[0]!.id]);
    expect(await opened.storage.deliveryReader.payload(ofBusy[0]!.id)).toBeNull();
    expect(await opened.storage.deliveryReader.payload(ofQuiet[0]!.id)).not.toBeNull();
  });

  it.each(['queued', 'running'] as const)('keeps a delivery whose run is %s, with its payload', async (state) => {
    const { webhook, version, uid } = await applyOneOfEach(opened.storage);
    const waiting = buildOffer({ webhook, runs: [{ automation: 'fix-errors', version }] });
    const run = waiting.runs[0]!.id;
    await record(waiting, buildOffer({ webhook }), buildOffer({ webhook }), buildOffer({ webhook }));
    const { runQueue, runReader } = opened.storage;
    const claim = () => runQueue.claim({ factory: FACTORY, executor: 'command', limit: 1, at: START_MS });
    if (state === 'running') await claim();

    await prune(400);
    expect(await listIds(uid)).toHaveLength(3);
    expect(await runReader.input(run)).toMatchObject({ run: { state }, prompt: 'Fix it.' });

    if (state === 'queued') await claim();
    await runQueue.finish({ id: run, attempt: 1, result: SUCCEEDED, at: START_MS });
    await prune(400);
    expect(await listIds(uid)).toHaveLength(2);
    expect(await runReader.get(run)).toBeNull();
  });

  it('removes a large log in pieces, also after many entries that remain', async () => {
    const { webhook, version, uid } = await applyOneOfEach(opened.storage);
    const runs = [{ automation: 'fix-errors', version }];
    const waiting = Array.from({ length: PIECE_ROWS + 100 }, () => buildOffer({ webhook, runs }));
    const old = Array.from({ length: 2 * PIECE_ROWS }, () => buildOffer({ webhook }));
    await record(...waiting);
    await record(...old);
    const { pieces } = await prune(8);
    expect(pieces).toBeGreaterThanOrEqual(4);
    expect(await listIds(uid)).toHaveLength(waiting.length + POLICY.minDeliveries);
  });

  it('removes at most a few hundred rows per call', async () => {
    const { webhook, uid } = await applyOneOfEach(opened.storage);
    const count = 2 * PIECE_ROWS + 10;
    await record(...Array.from({ length: count }, () => buildOffer({ webhook })));
    const piece = await opened.storage.retention.prune(POLICY, START_MS + 8 * DAY_MS);
    expect(piece).toEqual({ more: true, removedRuns: [] });
    expect(await listIds(uid)).toHaveLength(count - PIECE_ROWS);
  });

  it('is not stopped by an entry from the future after the clock was set back', async () => {
    const { webhook, uid } = await applyOneOfEach(opened.storage);
    const future = buildOffer({ webhook, at: START_MS + 1000 * DAY_MS });
    const young = [8, 8].map((days) => buildOffer({ webhook, at: START_MS + days * DAY_MS }));
    await record(future, buildOffer({ webhook }), ...young);
    await prune(9);
    expect(await listIds(uid)).toEqual([young[1]!.id, young[0]!.id, future.id]);
  });

  it('does not reuse the number of a removed entry while runs refer to it', async () => {
    const { webhook, version } = await applyOneOfEach(opened.storage);
    const runs = [{ automation: 'fix-errors', version }];
    const offer = buildOffer({ webhook, runs });
    await record(offer);
    const { runQueue, deliveryReader } = opened.storage;
    const {
      inputs: [input],
    } = await runQueue.claim({ factory: FACTORY, executor: 'command', limit: 1, at: START_MS });
    await runQueue.finish({ id: input!.run.id, attempt: 1, result: SUCCEEDED, at: START_MS });
    await prune(8, { minDeliveries: 0 });
    const next = buildOffer({ webhook, at: START_MS + 8 * DAY_MS, runs });
    const run = next.runs[0]!.id;
    expect(await record(next)).toEqual([{ label: 'Accepted' }]);
    expect(await deliveryReader.get(next.id)).toMatchObject({ runs: [run] });
  });

  it('keeps an identity for its retention time, and longer while its delivery is in the log', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    await record(buildOffer({ webhook, key: 'forgotten' }));
    await record(buildOffer({ webhook, key: 'logged' }), buildOffer({ webhook, key: 'logged too' }));
    const repeat = async (key: string) =>
      (await record(buildOffer({ webhook, key, at: START_MS + 91 * DAY_MS })))[0]!.label;
    await prune(89);
    await prune(91);
    expect(await repeat('logged')).toBe('Duplicate');
    expect(await repeat('forgotten')).toBe('Accepted');
  });

  it('keeps identities at least as long as deliveries', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const offers = ['a', 'b', 'c'].map((key) => buildOffer({ webhook, key }));
    await record(...offers);
    await prune(6, { identitiesMs: 1 });
    const [repeated] = await record(buildOffer({ webhook, key: 'a' }));
    expect(repeated).toMatchObject({ label: 'Duplicate' });
  });

  it('unlinks a duplicate from a removed accepted delivery', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const first = buildOffer({ webhook, key: 'k' });
    const repeats = [1, 2].map(() => buildOffer({ webhook, key: 'k', at: START_MS + 3 * DAY_MS }));
    await record(first, ...repeats);
    const { deliveryReader } = opened.storage;
    expect(await deliveryReader.get(repeats[0]!.id)).toMatchObject({ duplicateOf: first.id });
    await prune(8);
    expect(await deliveryReader.get(repeats[0]!.id)).toMatchObject({ label: 'Duplicate', duplicateOf: null });
  });

  it('removes runs by the time of their end, and returns their IDs so that their files can be removed', async () => {
    const { webhook, version } = await applyOneOfEach(opened.storage);
    const runs = [{ automation: 'fix-errors', version }];
    const offers = [1, 2, 3].map(() => buildOffer({ webhook, runs }));
    const [early, late, queued] = offers.map((offer) => offer.runs[0]!.id);
    await record(...offers);
    const { runQueue, runReader } = opened.storage;
    await runQueue.claim({ factory: FACTORY, executor: 'command', limit: 2, at: START_MS });
    await runQueue.finish({ id: early!, attempt: 1, result: SUCCEEDED, at: START_MS });
    await runQueue.finish({ id: late!, attempt: 1, result: SUCCEEDED, at: START_MS + 20 * DAY_MS });
    expect((await prune(29)).removedRuns).toEqual([]);
    expect((await prune(31)).removedRuns).toEqual([early]);
    expect((await prune(51)).removedRuns).toEqual([late]);
    expect(await runReader.get(queued!)).toMatchObject({ state: 'queued' });
    await record(buildOffer({ webhook, runs, at: START_MS + 60 * DAY_MS }));
    expect(await runReader.attempts([early!, late!])).toEqual(new Map());
  });

  it('removes versions of automations without an automation and a run, one pass later', async () => {
    const applied = await applyFactory(opened.storage, {
      webhooks: [buildWebhook()],
      automations: [buildAutomation({ prompt: 'Named by a run.' })],
    });
    const named = applied.automations[0]!.version;
    const webhook = applied.webhooks[0]!.ref;
    const versionOf = async (prompt: string) =>
      (await applyFactory(opened.storage, { automations: [buildAutomation({ prompt })] })).automations[0]!.version;
    const unused = await versionOf('Unused.');
    const live = await versionOf('Live.');
    const offer = (version: number) => buildOffer({ webhook, runs: [{ automation: 'fix-errors', version }] });
    await record(offer(named));

    await prune(1);
    expect(await record(offer(unused))).toEqual([{ label: 'Accepted' }]);
    await prune(1);
    expect(await record(offer(unused))).toEqual([{ label: 'Accepted' }]);

    const fresh = await versionOf('Retired between two passes.');
    await versionOf('Live.');
    await prune(1);
    await prune(1);
    const recorded = await record(offer(named), offer(live), offer(fresh));
    expect(recorded).toMatchObject([{ label: 'Accepted' }, { label: 'Accepted' }, { label: null }]);
  });

  it('removes versions of secrets that were neither newest nor pinned for the retention time', async () => {
    const { sealedSecrets } = opened.storage;
    const seal = (name: string, version: number) =>
      sealedSecrets.insert({ name, version, sealed: new Uint8Array([version]), createdAt: START_MS, createdBy: null });
    for (const version of [1, 2, 3]) await seal('PINNED', version);
    await seal('DELETED', 1);
    await sealedSecrets.delete('DELETED', { at: START_MS, name: null });
    const webhooks = [
      buildWebhook({ name: 'pins', secretName: 'PINNED', secretVersion: 2 }),
      buildWebhook({ name: 'deleted', secretName: 'PINNED', secretVersion: 1 }),
    ];
    await applyFactory(opened.storage, { webhooks });
    await applyFactory(opened.storage, { deleteWebhooks: [webhooks[1]!.uid] });
    const left = async () => {
      const versions = [1, 2, 3].map((version) => ['PINNED', version] as const);
      const found = [];
      for (const [name, version] of [...versions, ['DELETED', 1] as const]) {
        if (await sealedSecrets.get(name, version)) found.push(`${name} ${version}`);
      }
      return found;
    };
    await prune(1);
    await prune(30);
    expect(await left()).toEqual(['PINNED 1', 'PINNED 2', 'PINNED 3', 'DELETED 1']);
    await prune(31);
    expect(await left()).toEqual(['PINNED 2', 'PINNED 3']);
  });

  it('counts the time of an old version of a secret from its last use', async () => {
    const { sealedSecrets } = opened.storage;
    const seal = (version: number) =>
      sealedSecrets.insert({ name: 'CI', version, sealed: new Uint8Array([1]), createdAt: START_MS, createdBy: null });
    for (const version of [1, 2]) await seal(version);
    await prune(1);
    const webhook = buildWebhook({ secretName: 'CI', secretVersion: 1 });
    await applyFactory(opened.storage, { webhooks: [webhook] });
    await prune(40);
    await applyFactory(opened.storage, { webhooks: [{ ...webhook, secretVersion: 2 }] });
    await prune(69);
    await prune(98);
    expect(await sealedSecrets.get('CI', 1)).not.toBeNull();
    await prune(99);
    expect(await sealedSecrets.get('CI', 1)).toBeNull();
  });

  it('keeps the previous version of a secret while an overlap can accept it', async () => {
    const { sealedSecrets } = opened.storage;
    for (const version of [1, 2]) {
      const sealed = new Uint8Array([1]);
      await sealedSecrets.insert({ name: 'CI', version, sealed, createdAt: START_MS, createdBy: null });
    }
    const pinned = { secretName: 'CI', secretVersion: 2, previousSecretVersion: 1, secretPinnedAt: START_MS };
    await applyFactory(opened.storage, { webhooks: [buildWebhook({ ...pinned, rotationOverlap: '7d' })] });
    const policy = { secretVersionsMs: 60_000 };
    for (const days of [1, 2, 6.9]) await prune(days, policy);
    expect(await sealedSecrets.get('CI', 1)).not.toBeNull();
    for (const days of [7, 8]) await prune(days, policy);
    expect(await sealedSecrets.get('CI', 1)).toBeNull();
  });

  it('limits the reconciliation history by number and age, and keeps the newest row', async () => {
    const { inventory, reconciliationReader } = opened.storage;
    const commit = { subject: 'Change', author: 'Ann', committedAt: START_MS, url: null };
    const attempt = (revision: string, days = 0) =>
      inventory.recordAttempt(buildReconciliation({ revision, commit, finishedAt: START_MS + days * DAY_MS }), []);
    const revisions = async () => {
      const page = await reconciliationReader.list({ factory: FACTORY, limit: 2000, cursor: null });
      return page.data.map((row) => row.revision);
    };
    await inventory.register(FACTORY, START_MS);
    for (let index = 0; index < 1003; index += 1) await attempt(`${index}`);
    await prune(1);
    expect(await revisions()).toEqual(Array.from({ length: 1000 }, (_, index) => `${1002 - index}`));
    await attempt('young', 50);
    await attempt('newest', 51);
    await prune(91);
    expect(await revisions()).toEqual(['newest', 'young']);
    // The commits of removed rows are removed too, so the revision no longer has an author.
    await inventory.recordAttempt(buildReconciliation({ revision: '1002' }), []);
    expect((await inventory.lastReconciliation(FACTORY))?.commit).toBeNull();
    await prune(500);
    expect(await revisions()).toEqual(['1002']);
  });
});

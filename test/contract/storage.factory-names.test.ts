import { describe, expect, it } from 'vitest';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const AT = START_MS + 60_000;
const NEW = 'shop';

describe.each(STORAGES)('the names of factories on $name', (kind) => {
  const opened = useStorage(kind);

  /** A factory with a webhook that an automation listens to. */
  async function apply(factory = FACTORY, names = ['internal-ci']) {
    const webhooks = names.map((name) => buildWebhook({ factory, name }));
    const automation = buildAutomation({ factory, listensTo: [[webhooks[0]!.uid]] });
    return applyFactory(opened.storage, { factory, webhooks, automations: [automation] });
  }

  async function receive(factory: { webhooks: { ref: number }[]; automations: { version: number }[] }) {
    const [webhook, automation] = [factory.webhooks[0]!, factory.automations[0]!];
    const runs = [{ automation: 'fix-errors', version: automation.version }];
    const [outcome] = await opened.storage.deliveryLog.record([buildOffer({ webhook: webhook.ref, runs })]);
    return outcome!;
  }

  const names = () => opened.storage.factoryNames;
  const rename = (more: object = {}) => names().rename({ from: FACTORY, to: NEW, isHosted: false, at: AT, ...more });

  describe('forget', () => {
    it('leaves the history, and nothing that a list names', async () => {
      const factory = await apply();
      await receive(factory);
      expect(await names().forget(FACTORY, AT)).toEqual({ kind: 'ok', cancelledRuns: 1 });
      const { inventoryReader, deliveryReader, runReader } = opened.storage;
      expect(await inventoryReader.factories()).toEqual([]);
      expect(await inventoryReader.webhookNames()).toEqual([]);
      expect(await inventoryReader.counts(FACTORY)).toMatchObject({ webhooks: 0, automations: 0, queuedRuns: 0 });
      const page = { limit: 10, cursor: null };
      const runs = await runReader.list({ ...page, factory: FACTORY } as never);
      expect(runs.data).toMatchObject([{ state: 'cancelled', finishedAt: AT }]);
      expect(await deliveryReader.get(runs.data[0]!.delivery)).toMatchObject({ label: 'Accepted' });
      expect(await names().forget(FACTORY, AT)).toEqual({ kind: 'unknown' });
      expect(await names().folderChanges()).toEqual([{ factory: FACTORY, movedTo: null }]);
      await names().noteFolderChange(FACTORY);
      expect(await names().folderChanges()).toEqual([]);
    });

    it('gives the name to a factory that begins empty, with new UIDs', async () => {
      const before = await apply();
      await names().forget(FACTORY, AT);
      await opened.storage.inventory.register(FACTORY, AT + 1);
      expect(await opened.storage.inventory.load(FACTORY)).toMatchObject({
        revision: null,
        webhooks: [],
        automations: [],
      });
      const after = await apply();
      expect(after.webhooks.map(({ uid }) => uid)).not.toContain(before.webhooks[0]!.uid);
      expect(after.applyNumber).toBeGreaterThan(before.applyNumber);
      expect((await opened.storage.inventoryReader.factories()).map(({ name }) => name)).toEqual([FACTORY]);
    });

    it('does nothing while a run has not ended', async () => {
      await receive(await apply());
      await opened.storage.runQueue.claim({ factory: FACTORY, executor: 'queue', limit: 1, at: AT });
      expect(await names().forget(FACTORY, AT)).toEqual({ kind: 'running', count: 1 });
      expect(await opened.storage.inventoryReader.factories()).toHaveLength(1);
    });
  });

  describe('rename', () => {
    it('moves UIDs, automations, history and runs, and keeps what only the new name has', async () => {
      const old = await apply();
      await receive(old);
      const applied = await apply(NEW, ['internal-ci', 'new-one']);
      expect(await rename()).toEqual({ kind: 'ok' });
      const { inventory, inventoryReader, runReader, reconciliationReader } = opened.storage;
      const factory = (await inventory.load(NEW))!;
      const kept = applied.webhooks.find(({ name }) => name === 'new-one')!;
      expect(factory.webhooks.map(({ name, uid }) => [name, uid])).toEqual([
        ['internal-ci', old.webhooks[0]!.uid],
        ['new-one', kept.uid],
      ]);
      expect(factory.automations).toMatchObject([{ factory: NEW, version: old.automations[0]!.version }]);
      expect(factory.applyNumber).toBeGreaterThan(applied.applyNumber);
      expect((await inventoryReader.factories()).map(({ name }) => name)).toEqual([NEW]);
      expect(await inventory.load(FACTORY)).toBeNull();
      const page = { factory: NEW, limit: 10, cursor: null };
      expect((await runReader.list(page as never)).data).toMatchObject([{ factory: NEW, state: 'queued' }]);
      expect((await reconciliationReader.list(page)).data).toHaveLength(2);
      expect(await names().folderChanges()).toEqual([{ factory: FACTORY, movedTo: NEW }]);
    });

    it('finds the listeners of earlier deliveries of both', async () => {
      const old = await apply();
      const other = await apply(NEW, ['new-one']);
      await rename();
      const search = { names: null, after: null, limit: 10 };
      for (const { webhooks, applyNumber } of [old, other]) {
        const webhook = webhooks[0]!.uid;
        const found = await opened.storage.deliveryReader.listeners({ ...search, webhook, applyNumber });
        expect(found.map(({ automation }) => automation)).toEqual(['fix-errors']);
      }
    });

    it('keeps the URLs of both if a webhook of the new name received something', async () => {
      const old = await apply();
      await receive(await apply(NEW));
      expect(await rename()).toEqual({ kind: 'in_use', webhooks: ['internal-ci'] });
      expect(await opened.storage.inventory.load(FACTORY)).toEqual(old);
    });

    it('never replaces a definition that only Dockbell stores', async () => {
      await apply();
      await apply(NEW, ['another']);
      expect(await rename({ isHosted: true })).toEqual({ kind: 'defined' });
      expect(await opened.storage.inventoryReader.factories()).toHaveLength(2);
    });

    it('moves the files of a live factory', async () => {
      const { inventory, liveDefinitions } = opened.storage;
      for (const name of [FACTORY, NEW]) {
        await inventory.register(name, START_MS);
        await liveDefinitions.commit(name, { from: null, files: [{ path: 'factory.yaml', text: name }] });
      }
      await rename({ isHosted: true });
      expect(await liveDefinitions.read(NEW)).toMatchObject({ revision: 1, files: [{ text: FACTORY }] });
      expect(await liveDefinitions.read(FACTORY)).toBeNull();
    });

    it('renames the limits of tokens', async () => {
      await apply();
      await opened.storage.inventory.register(NEW, START_MS);
      const token = {
        id: 'tok_1',
        name: 'ci',
        role: 'viewer',
        createdAt: START_MS,
        lastUsedAt: null,
        expiresAt: null,
      } as const;
      await opened.storage.tokens.insert({ ...token, factories: [FACTORY, 'other'] }, new Uint8Array([1]));
      await rename();
      expect(await opened.storage.tokens.list()).toMatchObject([{ factories: [NEW, 'other'] }]);
    });

    it('knows no factory that was forgotten or never existed', async () => {
      await apply();
      await opened.storage.inventory.register(NEW, START_MS);
      expect(await rename({ from: 'nobody' })).toEqual({ kind: 'unknown' });
      await names().forget(FACTORY, AT);
      expect(await rename()).toEqual({ kind: 'unknown' });
    });
  });
});

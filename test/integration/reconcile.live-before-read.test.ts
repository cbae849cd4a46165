import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { validateTree } from '../../src/definitions/validate-tree.ts';
import { createIdSource } from '../../src/domain/ids.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import { createServing } from '../../src/ingress/registry/create-serving.ts';
import { LiveFactories } from '../../src/ingress/registry/live-factories.ts';
import { Registry } from '../../src/ingress/registry/registry.ts';
import { createRedactor } from '../../src/platform/secrets/redactor.ts';
import { createSecretStore } from '../../src/platform/secrets/secret-store.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import { FactoryState } from '../../src/reconcile/factory-state.ts';
import { Reconciler } from '../../src/reconcile/reconciler.ts';
import { startStorage } from '../../src/storage/thread/start-storage.ts';
import { createScriptedSource } from '../helpers/reconcile-world.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const WORKER = new URL('../../dist/storage/sqlite/thread/worker.js', import.meta.url);
const ROUNDS = 40;
const logger: Logger = { info: () => {}, warn: () => {}, error: () => {}, child: () => logger };

it('nobody can read that a revision is applied before it is live', async () => {
  const thread = await startStorage(WORKER, { file: join(createTempDir('race'), 'dockbell.db') });
  const { inventory, sealedSecrets } = thread.storage;
  const vault = createVault(randomBytes(32));
  const secrets = createSecretStore({
    table: sealedSecrets,
    vault,
    clock: systemClock,
    redactor: createRedactor(),
    notifyTargets: [],
    factories: ['payments'],
  });
  await secrets.put('S', new SecretValue('a-secret-that-is-long-enough'), 'create');
  const registry = new Registry();
  const source = createScriptedSource();
  const reconciler = new Reconciler(
    {
      name: 'f',
      source,
      hosted: null,
      sourceKey: 'x',
      hasExecutor: true,
      onTimedPass: () => {},
      inventory,
      secrets,
      webhooksPerFactory: 20,
      logger,
      pushWebhook: null,
      state: new FactoryState('f', inventory),
      clock: systemClock,
      ids: createIdSource(randomBytes),
      validate: async (tree, context) => validateTree(tree, context),
      serving: createServing(inventory.apply, new LiveFactories(registry, () => null)),
    },
    () => () => {},
    () => {},
  );
  const liveRevision = () => [...registry.current().webhooks.values()][0]?.revision ?? null;

  let reads = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const revision = source.commit({ 'webhooks/a.yaml': `secretName: S\ndescription: round ${round}\n` });
    let isOver = false;
    const pass = reconciler.reconcile().finally(() => {
      isOver = true;
    });
    // Several concurrent readers, so that one of their responses leaves the storage right after that of the apply.
    const readers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const status = await inventory.status('f');
        reads += 1;
        if (status?.appliedRevision === revision) expect(liveRevision()).toBe(revision);
      }
    });
    await Promise.all([pass, ...readers]);
  }
  expect(reads).toBeGreaterThan(ROUNDS);
  await thread.close();
});

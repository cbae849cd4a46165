import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyOneOfEach, FACTORY } from '../../../test/helpers/build-apply.ts';
import { rateCondition } from '../../domain/applies/reconciliation.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { createServing } from '../../ingress/registry/create-serving.ts';
import { LiveFactories } from '../../ingress/registry/live-factories.ts';
import { Registry } from '../../ingress/registry/registry.ts';
import { Parts } from '../../platform/parts.ts';
import { createRedactor } from '../../platform/secrets/redactor.ts';
import { createSecretStore } from '../../platform/secrets/secret-store.ts';
import { createVault } from '../../platform/secrets/vault.ts';
import { serveDefinitions } from '../../reconcile/serve-definitions.ts';
import { serveApplied } from '../../reconcile/serve-factory.ts';
import { openSqliteStorage } from '../../storage/sqlite/sqlite-storage.ts';
import { createLiveConditions } from './live-conditions.ts';

describe('the conditions of a factory', () => {
  it('name the webhooks whose applied secret cannot be opened, until it can', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dockbell-conditions-'));
    const storage = openSqliteStorage(join(folder, 'dockbell.db'));
    await applyOneOfEach(storage);
    const [webhook] = (await storage.inventory.load(FACTORY))!.webhooks;
    const { name, secretName, secretVersion: version } = webhook!;
    const vault = createVault(Buffer.alloc(32, 1));
    // As if two sealed values had been swapped.
    const sealed = vault.seal('ANOTHER_SECRET', version, new SecretValue('a value'));
    await storage.sealedSecrets.insert({ name: secretName, version, sealed, createdAt: 1, createdBy: null });

    const logged: unknown[] = [];
    const log = (_fields: unknown, message: string) => logged.push(message);
    const logger: Logger = { info: log, warn: log, error: log, child: () => logger };
    const registry = new Registry();
    const clock = systemClock;
    const table = storage.sealedSecrets;
    const secrets = createSecretStore({
      table,
      vault,
      clock,
      redactor: createRedactor(),
      notifyTargets: [],
      factories: [],
    });
    const serving = createServing(storage.inventory.apply, new LiveFactories(registry, () => null));
    const applied = (await storage.inventory.load(FACTORY))!;
    await serveApplied({ serving, secrets, clock, logger }, applied);

    const parts = new Parts(logger);
    parts.add(serveDefinitions({ registry } as never));
    const conditions = createLiveConditions({
      config: { factories: [{ name: FACTORY }] },
      collect: (factory) => parts.conditions(factory),
      nowMs: () => clock.wallMs(),
      logger,
    });
    const [condition, ...others] = conditions.ofFactory(FACTORY);
    expect(others).toEqual([]);
    expect(condition).toMatchObject({ type: 'SecretsReadable', status: 'False', reason: 'SecretUnreadable' });
    expect(condition!.message).toContain(name);
    expect(rateCondition(condition!)).toBe('error');
    expect(conditions.ofFactory(FACTORY)).toHaveLength(1);

    const readable = { open: async () => new SecretValue('a value') };
    await serveApplied({ serving, secrets: readable, clock, logger }, applied);
    expect(conditions.ofFactory(FACTORY)).toEqual([]);
    expect(logged).toEqual(['pinned secret cannot be read', 'condition began', 'condition ended']);
    storage.close();
    rmSync(folder, { recursive: true });
  });
});

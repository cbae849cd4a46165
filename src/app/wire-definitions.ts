import type { FactoryConfig } from '../config/config.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Storage } from '../core/ports/storage.ts';
import { createSecretAdoption } from '../edit/adopt-secret.ts';
import type { AdoptSecret } from '../ingress/ingress-context.ts';
import type { PushTrigger } from '../registry/build-live-webhooks.ts';
import { createServing } from '../registry/create-serving.ts';
import { LiveFactories } from '../registry/live-factories.ts';
import type { Registry } from '../registry/registry.ts';
import { createNotifyingSecretStore } from '../secrets/notifying-secret-store.ts';
import { createReconcilers, type ReconcilerParts, type Reconcilers } from './create-reconcilers.ts';

export interface DefinitionParts extends Omit<ReconcilerParts, 'inventory' | 'serving'> {
  storage: Pick<Storage, 'inventory' | 'inventoryReader'>;
  registry: Registry;
  /** The value of that secret has changed. */
  onSecretChanged(name: string): void;
}

/** What turns commits into live webhooks. */
export interface DefinitionModules {
  reconcilers: Reconcilers;
  /** Reports each changed value, so that an apply that waits for it is retried. */
  secrets: SecretStore;
  adoptSecret: AdoptSecret;
}

export function wireDefinitions(parts: DefinitionParts): DefinitionModules {
  const { storage, registry, factories, clock } = parts;
  const { inventory, inventoryReader } = storage;
  const live = new LiveFactories(registry, (name) => findPushTrigger(factories, name));
  const reconcilers = createReconcilers({ ...parts, inventory, serving: createServing(inventory, live) });
  const secrets = createNotifyingSecretStore(parts.secrets, (name) => {
    reconcilers.onSecretChanged();
    parts.onSecretChanged(name);
  });
  const { betweenPasses, serve } = reconcilers;
  const adoption = {
    inventory: inventoryReader,
    pins: inventory,
    secrets: parts.secrets,
    betweenPasses,
    serve,
    clock,
  };
  return { reconcilers, secrets, adoptSecret: createSecretAdoption(adoption) };
}

function findPushTrigger(factories: readonly FactoryConfig[], name: string): PushTrigger | null {
  const source = factories.find((factory) => factory.name === name)?.source;
  if (source?.type !== 'repository' || source.pushWebhook === null) return null;
  return { webhook: source.pushWebhook, branch: source.branch };
}

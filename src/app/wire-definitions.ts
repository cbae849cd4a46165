import type { FactoryConfig } from '../config/config.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Storage } from '../core/ports/storage.ts';
import { createSecretAdoption } from '../edit/adopt-secret.ts';
import type { AdoptSecret } from '../ingress/ingress-context.ts';
import { activateLastApplied } from '../registry/activate-last-applied.ts';
import { buildLiveWebhooks, type PushTrigger } from '../registry/build-live-webhooks.ts';
import type { Registry } from '../registry/registry.ts';
import { createNotifyingSecretStore } from '../secrets/notifying-secret-store.ts';
import { createReconcilers, type ReconcilerParts, type Reconcilers } from './create-reconcilers.ts';

export interface DefinitionParts extends Omit<ReconcilerParts, 'inventory' | 'activate' | 'isLive'> {
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
  /** At start: makes live what was applied last, so that the daemon serves while git cannot be reached. */
  activateAll(): Promise<void>;
}

export function wireDefinitions(parts: DefinitionParts): DefinitionModules {
  const { storage, registry, factories, clock, logger } = parts;
  const { inventory, inventoryReader } = storage;
  const pushTrigger = (name: string) => findPushTrigger(factories, name);
  const activation = { inventory, secrets: parts.secrets, registry, pushTrigger, logger };
  const activate = (factory: string) => activateLastApplied(activation, factory);
  const reconcilers = createReconcilers({
    ...parts,
    inventory,
    activate: (applied, values, tokens) =>
      registry.replaceFactory(applied.name, buildLiveWebhooks(applied, values, tokens, pushTrigger(applied.name))),
    isLive: (factory, name) =>
      [...registry.current().webhooks.values()].some((webhook) => webhook.factory === factory && webhook.name === name),
  });
  const secrets = createNotifyingSecretStore(parts.secrets, (name) => {
    reconcilers.onSecretChanged();
    parts.onSecretChanged(name);
  });
  const { betweenPasses } = reconcilers;
  const adoption = {
    inventory: inventoryReader,
    pins: inventory,
    secrets: parts.secrets,
    betweenPasses,
    activate,
    clock,
  };
  const activateAll = async () => {
    for (const { name } of factories) await activate(name);
  };
  return { reconcilers, secrets, adoptSecret: createSecretAdoption(adoption), activateAll };
}

function findPushTrigger(factories: readonly FactoryConfig[], name: string): PushTrigger | null {
  const source = factories.find((factory) => factory.name === name)?.source;
  if (source?.type !== 'repository' || source.pushWebhook === null) return null;
  return { webhook: source.pushWebhook, branch: source.branch };
}

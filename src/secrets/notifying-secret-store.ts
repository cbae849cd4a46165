import type { SecretStore } from '../core/ports/secret-store.ts';

/** A secret store that reports new and changed values, so that an apply that waits for one is retried. */
export function createNotifyingSecretStore(store: SecretStore, onChanged: (name: string) => void): SecretStore {
  return {
    ...store,
    put: async (name, value, mode) => {
      const stored = await store.put(name, value, mode);
      onChanged(name);
      return stored;
    },
  };
}

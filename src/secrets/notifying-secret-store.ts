import type { SecretStore } from '../core/ports/secret-store.ts';

/** A secret store that tells when a value came or changed, so that an apply that waited for it is tried again. */
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

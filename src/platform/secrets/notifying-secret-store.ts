import type { SecretStore } from '../../domain/ports/secret-store.ts';

/** A secret store that reports new and changed values and scopes, so that an apply that waits for one is retried. */
export function createNotifyingSecretStore<Store extends SecretStore>(
  store: Store,
  onChanged: (name: string) => void,
  onDeleted: (name: string) => void = () => {},
): Store {
  return {
    ...store,
    put: async (name, value, mode, options) => {
      const stored = await store.put(name, value, mode, options);
      onChanged(name);
      return stored;
    },
    delete: async (name, options) => {
      await store.delete(name, options);
      onDeleted(name);
    },
  };
}

import type { Vault } from './vault.ts';

/** A vault whose master key can change. While it changes, it opens values of both keys, and seals with the new one. */
export interface KeyRing extends Vault {
  /** Seals with another key from now on. */
  change(next: Vault): void;
}

/** @param others further keys whose values it opens */
export function createKeyRing(first: Vault, others: readonly Vault[] = []): KeyRing {
  let vaults = [first, ...others];
  const current = () => vaults[0]!;
  return {
    change: (next) => {
      vaults = [next, ...vaults];
    },
    seal: (name, version, value) => current().seal(name, version, value),
    open: (secret) => (vaults.find((vault) => vault.sealedHere(secret.sealed)) ?? current()).open(secret),
    keyCheck: () => current().keyCheck(),
    keyId: () => current().keyId(),
    matchesKeyCheck: (check) => current().matchesKeyCheck(check),
    sealedHere: (sealed) => vaults.some((vault) => vault.sealedHere(sealed)),
  };
}

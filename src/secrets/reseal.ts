import type { SealedValues } from '../core/ports/secret-store.ts';
import { sealedNameOf } from './answer-store.ts';
import type { Vault } from './vault.ts';

/** The same values, sealed under the master key of another vault. Throws `storage_broken` if a value cannot be opened. */
export function reseal({ secrets, answers }: SealedValues, from: Vault, to: Vault): SealedValues {
  return {
    secrets: secrets.map((secret) => ({
      ...secret,
      sealed: to.seal(secret.name, secret.version, from.open(secret)),
    })),
    answers: answers.map((answer) => {
      const { name, version } = sealedNameOf(answer);
      return { ...answer, sealed: to.seal(name, version, from.open({ name, version, sealed: answer.sealed })) };
    }),
  };
}

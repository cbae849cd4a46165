import type { AnswerStore, KeptAnswer, KeptAnswerTable, ReservedKey } from '../../domain/ports/idempotency.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { Vault } from './vault.ts';

const KEPT_MS = 24 * 3_600_000;

/** Keeps responses for a day, encrypted like secrets: a response may contain a secret that is shown only once. */
export function createAnswerStore({
  table,
  vault,
  clock,
}: {
  table: KeptAnswerTable;
  vault: Vault;
  clock: Clock;
}): AnswerStore {
  const seal = (key: Uint8Array, text: string): ReservedKey => {
    const keptAt = clock.wallMs();
    const { name, version } = sealedNameOf({ key });
    return {
      answer: { key, sealed: vault.seal(name, version, new SecretValue(text)), keptAt },
      since: keptAt - KEPT_MS,
    };
  };
  return {
    find: async (key, fingerprint) => {
      const kept = await table.find(key, clock.wallMs() - KEPT_MS);
      if (kept === null) return { kind: 'none' };
      const opened = vault.open({ ...sealedNameOf(kept), sealed: kept.sealed }).reveal();
      const body = describeBody(fingerprint);
      if (!opened.startsWith(body)) return { kind: 'other-body' };
      return opened === body ? { kind: 'lost' } : { kind: 'found', text: opened.slice(body.length) };
    },
    reserve: (key, fingerprint) => seal(key, describeBody(fingerprint)),
    keep: async (key, fingerprint, text) => {
      const { answer, since } = seal(key, describeBody(fingerprint) + text);
      await table.keep(answer, since);
    },
    forget: (key) => table.forget(key),
  };
}

/** Prefix of the response, or all of it for a key without one; all digests have the same length. */
function describeBody(fingerprint: Uint8Array): string {
  return `${Buffer.from(fingerprint).toString('hex')} `;
}

/** The name under which a response is sealed. No secret can have this name, so neither can be opened as the other. */
export function sealedNameOf({ key }: Pick<KeptAnswer, 'key'>): { name: string; version: number } {
  return { name: `answer ${Buffer.from(key).toString('hex')}`, version: 1 };
}

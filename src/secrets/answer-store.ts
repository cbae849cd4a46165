import type { AnswerStore, KeptAnswer, KeptAnswerTable } from '../core/ports/access/idempotency.ts';
import { SecretValue } from '../core/secret-value.ts';
import type { Clock } from '../core/time/clock.ts';
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
  return {
    find: async (key, fingerprint) => {
      const kept = await table.find(key, clock.wallMs() - KEPT_MS);
      if (kept === null) return { kind: 'none' };
      const opened = vault.open({ ...sealedNameOf(kept), sealed: kept.sealed }).reveal();
      const body = describeBody(fingerprint);
      return opened.startsWith(body) ? { kind: 'found', text: opened.slice(body.length) } : { kind: 'other-body' };
    },
    keep: async (key, fingerprint, text) => {
      const keptAt = clock.wallMs();
      const { name, version } = sealedNameOf({ key });
      const sealed = vault.seal(name, version, new SecretValue(describeBody(fingerprint) + text));
      await table.keep({ key, sealed, keptAt }, keptAt - KEPT_MS);
    },
  };
}

/** Prefix of the response; all digests have the same length. */
function describeBody(fingerprint: Uint8Array): string {
  return `${Buffer.from(fingerprint).toString('hex')} `;
}

/** The name under which a response is sealed. No secret can have this name, so neither can be opened as the other. */
export function sealedNameOf({ key }: Pick<KeptAnswer, 'key'>): { name: string; version: number } {
  return { name: `answer ${Buffer.from(key).toString('hex')}`, version: 1 };
}

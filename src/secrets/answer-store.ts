import type { Clock } from '../core/clock.ts';
import type { AnswerStore, KeptAnswer, KeptAnswerTable } from '../core/ports/idempotency.ts';
import { SecretValue } from '../core/secret-value.ts';
import type { Vault } from './vault.ts';

const KEPT_MS = 24 * 3_600_000;
const VERSION = 1;

/** Keeps answers for a day, encrypted as secrets are: they may hold one that is shown once. */
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
      const opened = vault.open({ name: nameOf(kept), version: VERSION, sealed: kept.sealed }).reveal();
      const body = describeBody(fingerprint);
      return opened.startsWith(body) ? { kind: 'found', text: opened.slice(body.length) } : { kind: 'other-body' };
    },
    keep: async (key, fingerprint, text) => {
      const keptAt = clock.wallMs();
      const sealed = vault.seal(nameOf({ key }), VERSION, new SecretValue(describeBody(fingerprint) + text));
      await table.keep({ key, sealed, keptAt }, keptAt - KEPT_MS);
    },
  };
}

/** Stands in front of the answer; digests are of one length. */
function describeBody(fingerprint: Uint8Array): string {
  return `${Buffer.from(fingerprint).toString('hex')} `;
}

/** No secret can have this name, so a sealed answer opens as nothing else. */
function nameOf({ key }: Pick<KeptAnswer, 'key'>): string {
  return `answer ${Buffer.from(key).toString('hex')}`;
}

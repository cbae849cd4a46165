import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { actFor } from '../../src/domain/access/change-record.ts';
import type { ReservedKey } from '../../src/domain/ports/idempotency.ts';
import { createAnswerStore } from '../../src/platform/secrets/answer-store.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import { buildAudited } from '../helpers/build-apply.ts';
import { START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const DAY_MS = 24 * 3_600_000;
const [KEY, OTHER_KEY] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const [BODY, OTHER_BODY] = [new Uint8Array(32).fill(3), new Uint8Array(32).fill(4)];
const SECRET = 'dbs_shown-this-once';

describe.each(STORAGES)('stored responses on $name', (kind) => {
  const opened = useStorage(kind);
  const vault = createVault(randomBytes(32));
  let nowMs = START_MS;
  const answers = () =>
    createAnswerStore({
      table: opened.storage.keptAnswers,
      vault,
      clock: { wallMs: () => nowMs, monotonicMs: () => nowMs },
    });

  /** Pauses a factory in the name of a request with the key. */
  const change = (key: ReservedKey, reason: string) =>
    actFor({ record: () => ({ audited: buildAudited(), key }), noteStored: () => undefined }, () =>
      opened.storage.pauses.pause({
        factory: 'payments',
        automation: '',
        pausedAt: nowMs,
        pausedBy: { kind: 'local', id: 'usr_1', name: 'alice' },
        reason,
      }),
    );

  it('are found by key and body for a day, also after a restart', async () => {
    await answers().keep(KEY, BODY, SECRET);
    await opened.reopen();
    expect(await answers().find(KEY, BODY)).toEqual({ kind: 'found', text: SECRET });
    expect(await answers().find(KEY, OTHER_BODY)).toEqual({ kind: 'other-body' });
    expect(await answers().find(OTHER_KEY, BODY)).toEqual({ kind: 'none' });
    nowMs += DAY_MS;
    expect((await answers().find(KEY, BODY)).kind).toBe('found');
    nowMs += 1;
    expect((await answers().find(KEY, BODY)).kind).toBe('none');
  });

  it('take the place of the key, which is stored in the transaction of the change', async () => {
    await change(answers().reserve(KEY, BODY), 'first');
    await opened.reopen();
    expect(await answers().find(KEY, BODY)).toEqual({ kind: 'lost' });
    expect(await answers().find(KEY, OTHER_BODY)).toEqual({ kind: 'other-body' });
    await answers().keep(KEY, BODY, SECRET);
    expect(await answers().find(KEY, BODY)).toEqual({ kind: 'found', text: SECRET });
    await answers().forget(KEY);
    expect(await answers().find(KEY, BODY)).toEqual({ kind: 'none' });
  });

  it('make a change fail whose key another request reserved meanwhile', async () => {
    await change(answers().reserve(KEY, BODY), 'first');
    const second = change(answers().reserve(KEY, BODY), 'second');
    await expect(second).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    expect((await opened.storage.pauses.list()).map(({ reason }) => reason)).toEqual(['first']);
    nowMs += DAY_MS + 1;
    await change(answers().reserve(KEY, BODY), 'third');
    expect((await opened.storage.pauses.list()).map(({ reason }) => reason)).toEqual(['third']);
  });

  it('are removed when another response is stored after that day', async () => {
    await answers().keep(KEY, BODY, SECRET);
    nowMs += DAY_MS + 1;
    await answers().keep(OTHER_KEY, BODY, 'x');
    expect(await opened.storage.keptAnswers.find(KEY, 0)).toBeNull();
  });

  it('are stored encrypted, and cannot be decrypted with another key', async () => {
    await answers().keep(KEY, BODY, SECRET);
    const kept = (await opened.storage.keptAnswers.find(KEY, 0))!;
    const stored = Buffer.from(kept.sealed);
    // A digest of the body could reveal a password in it.
    for (const clear of [SECRET, Buffer.from(BODY), Buffer.from(BODY).toString('hex')]) {
      expect(stored.includes(clear)).toBe(false);
    }
    await opened.storage.keptAnswers.keep({ ...kept, key: OTHER_KEY }, 0);
    await expect(answers().find(OTHER_KEY, BODY)).rejects.toMatchObject({ code: 'storage_broken' });
  });
});

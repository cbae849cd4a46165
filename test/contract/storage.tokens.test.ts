import { describe, expect, it } from 'vitest';
import type { ApiToken } from '../../src/domain/access/access.ts';
import { ids, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const HASH = new Uint8Array(32).fill(7);

function buildToken(more: Partial<ApiToken> = {}): ApiToken {
  const at = START_MS;
  return {
    id: ids.tokenId(at),
    name: 'ci',
    role: 'viewer',
    factories: null,
    createdAt: at,
    lastUsedAt: null,
    expiresAt: null,
    ...more,
  };
}

describe.each(STORAGES)('API tokens on $name', (kind) => {
  const opened = useStorage(kind);
  const tokens = () => opened.storage.tokens;

  it('are found by the hash of their text', async () => {
    const token = buildToken({ role: 'operator', factories: ['payments', 'other'], expiresAt: START_MS + 9 });
    await tokens().insert(token, HASH);
    expect(await tokens().findByHash(HASH)).toEqual(token);
    expect(await tokens().findByHash(HASH.slice(0, 31))).toBeNull();
    expect(await tokens().findByHash(new Uint8Array(32))).toBeNull();
  });

  it('distinguish a token for all factories from a token for none', async () => {
    const none = buildToken({ factories: [] });
    await tokens().insert(none, HASH);
    expect((await tokens().findByHash(HASH))!.factories).toEqual([]);
  });

  it('are listed in the order of their creation, with their last use', async () => {
    const [first, second] = [buildToken(), buildToken({ createdAt: START_MS + 1 })];
    await tokens().insert(first, HASH);
    await tokens().insert(second, new Uint8Array(32));
    await tokens().touch(first.id, START_MS + 9);
    expect(await tokens().list()).toEqual([{ ...first, lastUsedAt: START_MS + 9 }, second]);
  });

  it('cannot be found immediately after they are revoked', async () => {
    const token = buildToken();
    await tokens().insert(token, HASH);
    expect(await tokens().revoke(token.id)).toBe(true);
    expect(await tokens().findByHash(HASH)).toBeNull();
    expect(await tokens().revoke(token.id)).toBe(false);
  });
});

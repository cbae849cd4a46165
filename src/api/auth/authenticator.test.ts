import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { createSeededServices, NOW_MS } from '../../../test/helpers/seeded-services.ts';
import { createApiToken } from '../../platform/secrets/create-api-token.ts';
import { hashCredential } from '../../platform/secrets/credential.ts';
import { createAuthenticator } from './authenticator.ts';

function withHeader(authorization: string): FastifyRequest {
  return { ip: '192.0.2.1', headers: { authorization } } as FastifyRequest;
}

describe('an API token', () => {
  it('is dbk_ and 32 random bytes, of which only the hash is stored', async () => {
    const services = createSeededServices();
    const stored: [unknown, Uint8Array][] = [];
    const tokens = {
      ...services.tokens,
      insert: async (row: unknown, hash: Uint8Array) => void stored.push([row, hash]),
    };
    const { record, token } = await createApiToken(
      { ...services, tokens },
      { name: 'ci', role: 'viewer', factories: null, expiresAt: null },
    );
    expect(token).toMatch(/^dbk_[A-Za-z0-9_-]{43}$/);
    expect(stored).toEqual([[record, hashCredential(token)]]);
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(record).toMatchObject({ createdAt: NOW_MS, lastUsedAt: null });
  });
});

describe('authentication', () => {
  it('accepts the Bearer scheme in any case, and only a whole token', async () => {
    const services = createSeededServices();
    const authenticate = createAuthenticator({ ...services, runTokens: services.storage.runTokens });
    const token = services.grant('operator', ['payments']);
    for (const good of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`]) {
      expect(await authenticate(withHeader(good))).toMatchObject({ role: 'operator', factories: ['payments'] });
    }
    const bad = [
      token,
      `Basic ${token}`,
      `Bearer${token}`,
      `Bearer ${token}x`,
      `Bearer ${token} x`,
      `Bearer ${token.slice(0, -1)}`,
      'Bearer ',
      '',
    ];
    for (const header of bad) {
      await expect(authenticate(withHeader(header))).rejects.toMatchObject({ code: 'unauthorized' });
    }
  });

  it('notes the use of a token at most once a minute', async () => {
    const services = createSeededServices();
    const authenticate = createAuthenticator({ ...services, runTokens: services.storage.runTokens });
    const request = withHeader(`Bearer ${services.grant('viewer')}`);
    const uses = async (advanceMs: number) => {
      services.clock.advance(advanceMs);
      await authenticate(request);
      return services.seen.touched.map(({ at }) => at - NOW_MS);
    };
    expect(await uses(0)).toEqual([0]);
    expect(await uses(59_999)).toEqual([0]);
    expect(await uses(1)).toEqual([0, 60_000]);
    expect(await uses(1)).toEqual([0, 60_000]);
  });

  it('does not fail because the use could not be noted', async () => {
    const services = createSeededServices();
    const touch = async () => Promise.reject(new Error('disk full'));
    const authenticate = createAuthenticator({
      ...services,
      runTokens: services.storage.runTokens,
      tokens: { ...services.tokens, touch },
    });
    await expect(authenticate(withHeader(`Bearer ${services.grant('viewer')}`))).resolves.toMatchObject({
      role: 'viewer',
    });
    expect(services.seen.logLines.join()).toContain('disk full');
  });
});

import { describe, expect, it } from 'vitest';
import { createSeededServer, createSeededServices } from '../../../test/helpers/seeded-services.ts';

// Its dashboard is test/fixtures/dashboard.
const app = createSeededServer(createSeededServices());
const html = { accept: 'text/html,application/xhtml+xml' };

describe('a page of the dashboard', () => {
  it.each(['/', '/login', '/factories/payments/webhooks', '/nope?x=1'])('is sent for %s', async (url) => {
    const answer = await app.inject({ url, headers: html });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.body).toContain('the page');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('is sent at the address itself to who names no kind of answer, as curl does', async () => {
    for (const url of ['/', '/?x=1']) {
      for (const headers of [{}, { accept: '*/*' }])
        expect((await app.inject({ url, headers })).body).toContain('the page');
    }
  });

  it('may run no inline script, be framed by nobody and send nothing elsewhere (W1)', async () => {
    const { headers } = await app.inject({ url: '/', headers: html });
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy.filter((part) => !part.startsWith('style-src'))).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  it('names a nonce that no other load has', async () => {
    const load = async () => {
      const { body, headers } = await app.inject({ url: '/', headers: html });
      const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))![1]!;
      expect(body).toContain(`nonce="${nonce}"`);
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
      return nonce;
    };
    expect(await load()).not.toBe(await load());
  });

  it('is not sent to what asks for no page, changes something, names another host or asks the API', async () => {
    expect((await app.inject({ url: '/login' })).statusCode).toBe(404);
    expect((await app.inject({ method: 'POST', url: '/', headers: html })).statusCode).toBe(404);
    expect((await app.inject({ url: '/', headers: { ...html, host: 'evil.example' } })).statusCode).toBe(421);
    expect((await app.inject({ url: '/api/v1/nope', headers: html })).statusCode).toBe(401);
  });

  it('is said to be missing where the dashboard is not built', async () => {
    const bare = createSeededServer(createSeededServices({ dashboardDir: '/nonexistent' }));
    const answer = await bare.inject({ url: '/', headers: html });
    expect(answer.json()).toMatchObject({ status: 404, detail: expect.stringContaining('not built') });
  });
});

describe('a file of the dashboard', () => {
  it('can be cached permanently, and is compressed for clients that accept it', async () => {
    const plain = await app.inject({ url: '/assets/main-a1b2.js' });
    expect([plain.statusCode, plain.body]).toEqual([200, 'console.log("the dashboard");\n']);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['x-content-type-options']).toBe('nosniff');
    const small = await app.inject({ url: '/assets/main-a1b2.js', headers: { 'accept-encoding': 'gzip, br' } });
    expect(small.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(small.headers['content-type']).toContain('javascript');
  });

  it.each(['..%2findex.html', '%2e%2e%2findex.html', '.hidden', 'a%5cb.js', '%00.js'])('is never %s', async (file) => {
    const answer = await app.inject({ url: `/assets/${file}`, headers: html });
    expect([400, 404]).toContain(answer.statusCode);
    expect(answer.body).not.toContain('the page');
  });

  it('is not found if it does not exist', async () => {
    expect((await app.inject({ url: '/assets/nope-1.js', headers: html })).statusCode).toBe(404);
  });
});

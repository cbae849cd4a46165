import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createSeededServer, createSeededServices } from '../../../test/helpers/seeded-services.ts';

// Its site is test/fixtures/docs-site.
const app = createSeededServer(createSeededServices());
const html = { accept: 'text/html,application/xhtml+xml' };
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

describe('the documentation', () => {
  it.each([
    ['/docs/', 'the index'],
    ['/docs/guides/plan', 'a guide'],
    ['/docs/guides/plan?x=1', 'a guide'],
    ['/docs/guides/plan.html', 'a guide'],
  ])('serves %s without a token', async (url, text) => {
    const answer = await get(url, html);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.body).toContain(text);
  });

  it('redirects from /docs', async () => {
    const answer = await get('/docs', html);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/docs/']);
  });

  it('may run only own scripts and styles (W1)', async () => {
    const { headers } = await get('/docs/', html);
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    const diagram = await get('/docs/bell.svg');
    expect(diagram.headers['content-security-policy']).not.toContain('script-src');
  });

  it('is checked by browsers, and its hashed files are cached permanently', async () => {
    const accepted = { ...html, 'accept-encoding': 'gzip' };
    const page = await get('/docs/guides/plan', accepted);
    expect(page.headers['cache-control']).toBe('public, max-age=0');
    const again = await get('/docs/guides/plan', { ...accepted, 'if-none-match': String(page.headers.etag) });
    expect(again.statusCode).toBe(304);
    const asset = await get('/docs/assets/@search.a1b2.js', { 'accept-encoding': 'gzip, br' });
    expect(asset.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(asset.headers['content-type']).toContain('javascript');
  });

  it('serves the Markdown of a page, and decompresses for clients that do not accept gzip', async () => {
    const compressed = await get('/docs/guides/plan.md', { 'accept-encoding': 'gzip' });
    expect(compressed.headers['content-encoding']).toBe('gzip');
    const plain = await get('/docs/guides/plan.md');
    expect([plain.statusCode, plain.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toBe(gunzipSync(compressed.rawPayload).toString());
    expect(plain.body).toContain('a guide');
    const rejected = await get('/docs/guides/plan', { ...html, 'accept-encoding': 'br, gzip;q=0' });
    expect(rejected.body).toContain('a guide');
  });

  it('has its own page for missing pages, and a problem for programs', async () => {
    const page = await get('/docs/guides/nope', html);
    expect([page.statusCode, page.body]).toEqual([404, '<p>no such page</p>\n']);
    const program = await get('/docs/guides/nope');
    expect(program.json()).toMatchObject({ status: 404, code: 'not_found' });
  });

  it.each(['..%2f..%2f..%2fpackage.json', 'guides%5cplan', '.built-from', 'guides/', 'guides', 'a//b', '%00'])(
    'never serves %s',
    async (path) => {
      const answer = await get(`/docs/${path}`, html);
      expect([400, 404]).toContain(answer.statusCode);
      expect(answer.body).not.toMatch(/the page|a guide|"dockbell"/);
    },
  );

  it('is reported as missing if it is not built', async () => {
    const bare = createSeededServer(createSeededServices({ docsDir: '/nonexistent' }));
    const answer = await bare.inject({ url: '/docs/', headers: html });
    expect(answer.json()).toMatchObject({ status: 404, detail: expect.stringContaining('not built') });
  });
});

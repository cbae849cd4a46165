import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RandomBytes } from '../../domain/ids.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { PUBLIC } from '../server/access-rules.ts';
import { isUnderApi } from '../server/enforce-access.ts';
import { describeProblem, sendProblem } from '../server/problem.ts';

/** Sends a page to a browser that asks for one; `false` if the request asks for something else. */
export type PageSender = (request: FastifyRequest, reply: FastifyReply) => boolean;

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
/** What `index.html` has in place of the nonce. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__';
const NONCE_BYTES = 16;

const assetParams: JsonSchema = {
  type: 'object',
  properties: { asset: { type: 'string', pattern: '^[\\w-]+(?:\\.[\\w-]+)+$' } },
};

/**
 * The files of the dashboard. Their names hold a hash of what is in them, so browsers may cache them permanently. They are
 * the same for everybody and hold no data: who may see what is decided by the management API that they call.
 */
export function dashboardPlugin(app: FastifyInstance, { dashboardDir }: { dashboardDir: string }): void {
  const root = join(dashboardDir, 'assets');
  app.get<{ Params: { asset: string } }>(
    '/assets/:asset',
    {
      config: { access: PUBLIC, tagged: true },
      schema: {
        tags: ['Operation'],
        summary: 'A file of the dashboard',
        params: assetParams,
        response: { 200: { description: 'For browsers.', content: { '*/*': { schema: { type: 'string' } } } } },
      },
    },
    async (request, reply) =>
      reply
        .header('vary', 'accept-encoding')
        .sendFile(request.params.asset, root, { immutable: true, maxAge: YEAR_MS, index: false, dotfiles: 'deny' }),
  );
}

/**
 * Every path outside of the API that no route has is a page of the dashboard, which finds out itself which one. The
 * nonce is for the style elements that Mantine writes; there is no inline script (threat model W1).
 */
export function createPageSender({
  dashboardDir,
  randomBytes,
}: {
  dashboardDir: string;
  randomBytes: RandomBytes;
}): PageSender {
  const file = join(dashboardDir, 'index.html');
  const page = existsSync(file) ? readFileSync(file, 'utf8') : null;
  return (request, reply) => {
    if (!asksForPage(request)) return false;
    if (page === null)
      sendProblem(reply, describeProblem('not_found', `The dashboard is not built: ${file} is missing.`));
    else sendPage(reply, page, Buffer.from(randomBytes(NONCE_BYTES)).toString('base64'));
    return true;
  };
}

function asksForPage({ method, url, headers }: FastifyRequest): boolean {
  const reads = method === 'GET' || method === 'HEAD';
  // The root is always the dashboard. On other paths, programs get 404 instead of a page.
  const isRoot = url === '/' || url.startsWith('/?');
  return (
    reads && !isUnderApi(url) && !url.startsWith('/assets/') && (isRoot || (headers.accept ?? '').includes('text/html'))
  );
}

function sendPage(reply: FastifyReply, page: string, nonce: string): void {
  void reply
    .code(200)
    .header('content-security-policy', composePolicy(nonce))
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(NONCE_PLACEHOLDER, nonce));
}

function composePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

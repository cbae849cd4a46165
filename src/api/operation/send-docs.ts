import { createReadStream, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip } from '../server/compress-answers.ts';
import { describeProblem, sendProblem } from '../server/problem.ts';
import type { PageSender } from './dashboard-routes.ts';

const PREFIX = '/docs/';
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
/** One part of the path of a page or file. The search index has an `@` in its name. */
const SEGMENT = /^[\w@-][\w.@-]*$/;
/** Types of the files that are stored compressed only, which halves the size of the package. */
const COMPRESSED: { readonly [extension: string]: string } = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};
const PLAIN = { index: false, dotfiles: 'deny' } as const;

/**
 * The documentation of this version: the static site that `scripts/build-docs.mjs` builds. It is open to everybody, because
 * it is the same in every installation and holds no data (threat model W1).
 */
export function createDocsSender({ docsDir }: { docsDir: string }): PageSender {
  return (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || !`${path}/`.startsWith(PREFIX)) return false;
    if (`${path}/` === PREFIX) {
      void reply.redirect(PREFIX, 303);
      return true;
    }
    const file = findFile(docsDir, path.slice(PREFIX.length));
    if (file === null) sendMissing(docsDir, request, reply);
    else sendFile(request, reply, docsDir, file);
    return true;
  };
}

/** The file of a path such as `guides/plan` or `assets/app.a1b2.js`, relative to `docsDir`; `null` if none exists. */
function findFile(docsDir: string, path: string): string | null {
  const name = path === '' ? 'index' : path;
  if (!name.split('/').every((segment) => SEGMENT.test(segment))) return null;
  const file = extname(name) === '' ? `${name}.html` : name;
  return isFile(join(docsDir, nameStored(file))) ? file : null;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function nameStored(file: string): string {
  return extname(file) in COMPRESSED ? `${file}.gz` : file;
}

/** Names in `assets/` contain a hash of the content. Browsers check other files by their entity tag. */
function sendFile(request: FastifyRequest, reply: FastifyReply, docsDir: string, file: string): void {
  const isHashed = file.startsWith('assets/');
  void reply.headers({ vary: 'accept-encoding', 'content-security-policy': composePolicy(file) });
  const type = COMPRESSED[extname(file)];
  if (type !== undefined && !acceptsGzip(request.headers['accept-encoding']))
    void reply.type(type).send(decompress(join(docsDir, nameStored(file))));
  else void reply.sendFile(file, docsDir, { immutable: isHashed, maxAge: isHashed ? YEAR_MS : 0, ...PLAIN });
}

function decompress(file: string): Readable {
  // Fastify handles an error of the returned stream.
  return pipeline(createReadStream(file), createGunzip(), () => {});
}

function sendMissing(docsDir: string, request: FastifyRequest, reply: FastifyReply): void {
  const file = join(docsDir, nameStored('404.html'));
  const isBuilt = isFile(file);
  if (isBuilt && (request.headers.accept ?? '').includes('text/html')) {
    // `sendFile` would answer 200.
    void reply.code(404).header('content-security-policy', composePolicy('404.html')).type('text/html; charset=utf-8');
    void reply.send(gunzipSync(readFileSync(file)));
    return;
  }
  const detail = isBuilt
    ? 'The documentation has no such page.'
    : `The documentation is not built: ${docsDir} is empty.`;
  sendProblem(reply, describeProblem('not_found', detail));
}

/** Pages have no inline script and no inline style. Diagrams contain their style sheet, and nothing else in an SVG is active. */
function composePolicy(file: string): string {
  const own = ["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"];
  const sources = extname(file) === '.svg' ? ["style-src 'unsafe-inline'"] : own;
  return ["default-src 'none'", ...sources, "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"].join(
    '; ',
  );
}

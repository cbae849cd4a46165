import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const TYPES: { [extension: string]: string } = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Serves a folder below a path as GitHub Pages does: `a` is the file `a.html`, `a/` is `a/index.html`. */
export async function startStaticHost(
  folder: string,
  base: string,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://localhost').pathname;
    const file = path.startsWith(base) ? findFile(join(folder, path.slice(base.length - 1))) : null;
    const shown = file ?? join(folder, '404.html');
    response.writeHead(file === null ? 404 : 200, { 'content-type': TYPES[extname(shown)] ?? 'text/plain' });
    response.end(readFileSync(shown));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`, close };
}

function findFile(path: string): string | null {
  const candidates = path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
  return candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) ?? null;
}

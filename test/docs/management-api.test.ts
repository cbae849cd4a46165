import { describe, expect, it } from 'vitest';
import { ROLES } from '../../src/domain/access/access.ts';
import { ERROR_CODES } from '../../src/domain/errors.ts';
import { expectGenerated, readDocument, renderTable } from '../helpers/documents.ts';
import { createSeededServer, createSeededServices } from '../helpers/seeded-services.ts';

const PAGE = 'docs/reference/management-api.md';

interface Operation {
  summary?: string;
}

describe('docs/reference/management-api.md', () => {
  it('lists the routes with role and reach of the server', async () => {
    const app = createSeededServer(createSeededServices());
    await app.ready();
    const paths = (app.swagger().paths ?? {}) as Record<string, Record<string, Operation | undefined>>;
    const rows = app.accessTable
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url, access }) => {
        const path = url.replaceAll(/:(\w+)/g, '{$1}');
        const summary = paths[path]?.[method.toLowerCase()]?.summary;
        expect(summary, `${method} ${path}`).toBeTruthy();
        const reach = access.role === 'public' ? '' : access.reach;
        return [`\`${method} ${path}\``, access.role, reach, summary!];
      });
    expectGenerated(PAGE, 'routes', renderTable(['route', 'role', 'reach', 'does'], rows));
    await app.close();
  });

  it('lists the codes of errors', () => {
    const rows = Object.entries(ERROR_CODES).map(([code, { status, exit, title }]) => [
      `\`${code}\``,
      String(status),
      String(exit),
      title,
    ]);
    expectGenerated(PAGE, 'errors', renderTable(['code', 'status', 'exit code of the command', 'title'], rows));
  });

  it('describes the permissions of each role', () => {
    const described = [...readDocument(PAGE).matchAll(/^\| `(\w+)` \| (?:read|also) /gm)].map((match) => match[1]);
    expect(described).toEqual([...ROLES]);
  });
});

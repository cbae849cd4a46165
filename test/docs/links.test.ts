import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dropFences, listDocuments, listPages, locate, readDocument, readPage } from '../helpers/documents.ts';

interface Link {
  document: string;
  target: string;
}

/** A reader of the documents: which exist, and what they contain. */
interface View {
  documents: readonly string[];
  read(document: string): string;
}

const REPOSITORY: View = { documents: listDocuments(), read: readDocument };
const SITE: View = { documents: listPages(), read: readPage };

function listLinks({ read }: View, document: string): Link[] {
  const prose = dropFences(read(document)).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => ({ document, target: match[1]! }));
}

/**
 * Anchors as GitHub derives them from titles, also those of the part that only the site has: on GitHub, such a link opens the
 * document. The guides of schemes have an anchor for each scheme, which on the site is its page.
 */
function listAnchors(file: string): string[] {
  if (file.endsWith('.yaml')) return [...readDocument(file).matchAll(/^(\w+):$/gm)].map(([, key]) => key!);
  return [...dropFences(readPage(file)).matchAll(/^#+ (.+)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What the build makes is on the disk, but not in the repository. */
const FILES = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: locate('.'),
  maxBuffer: 2 ** 24,
})
  .toString()
  .split('\0');

function isInRepository(path: string): boolean {
  const folder = `${path.replace(/\/$/, '')}/`;
  return existsSync(locate(path)) && FILES.some((file) => file === path || file.startsWith(folder));
}

function findProblem({ documents }: View, { document, target }: Link): string | null {
  if (/^[a-z]+:/.test(target)) return target.startsWith('https://') ? null : 'not https';
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? document : posix.join(posix.dirname(document), path);
  if (!documents.includes(file) && !isInRepository(file)) return 'no such file';
  if (anchor !== undefined && !listAnchors(file).includes(anchor)) return 'no such title';
  return null;
}

describe.each([
  ['in the repository', REPOSITORY],
  ['on the site', SITE],
])('links between documents %s', (_where, view) => {
  it('have an existing target', () => {
    const broken = view.documents
      .flatMap((document) => listLinks(view, document))
      .flatMap((link) => {
        const problem = findProblem(view, link);
        return problem === null ? [] : [`${link.document}: ${link.target}: ${problem}`];
      });
    expect(broken).toEqual([]);
  });

  it('reach every document', () => {
    const linked = new Set(
      view.documents
        .flatMap((document) => listLinks(view, document))
        .map(({ document, target }) => posix.join(posix.dirname(document), target.split('#')[0]!)),
    );
    const alone = view.documents.filter((document) => document !== 'README.md' && !linked.has(document));
    expect(alone).toEqual([]);
  });

  it('are broken without their file or title', () => {
    const find = (target: string) => findProblem(view, { document: 'docs/README.md', target });
    expect(find('architecture.md')).toBeNull();
    expect(find('../README.md#security')).toBeNull();
    expect(find('schemes/guides.yaml#slack')).toBeNull();
    expect(find('reference/diagnostics.md#webhookunknown-key')).toBeNull();
    expect(find('nowhere.md')).toBe('no such file');
    expect(find('../dist/main.js')).toBe('no such file');
    expect(find('../README.md#nowhere')).toBe('no such title');
    expect(find('schemes/guides.yaml#nowhere')).toBe('no such title');
  });
});

it('documents that are made from the code are not in the repository', () => {
  const made = SITE.documents.filter((document) => !REPOSITORY.documents.includes(document));
  expect(made.length).toBeGreaterThan(50);
  expect(findProblem(REPOSITORY, { document: 'docs/README.md', target: made[0]!.slice('docs/'.length) })).toBe(
    'no such file',
  );
});

describe('the comparison with other products', () => {
  it('has a link to the documentation of the product in each statement of the table', () => {
    const table = readDocument('docs/concepts/comparison.md').match(/^\| \w.*$/gm)!;
    const others = table.filter((row) => !row.startsWith('| Dockbell'));
    expect(others.length).toBeGreaterThan(3);
    for (const row of others)
      for (const cell of row.split('|').slice(2, -1)) expect(cell, row).toMatch(/\]\(https:\/\//);
  });
});

describe('the package', () => {
  it('contains the folders and files that its documents link to', () => {
    const { files } = JSON.parse(readDocument('package.json')) as { files: string[] };
    const isBuilt = (path: string) => path === 'dist' || path === 'man';
    for (const path of files.filter((path) => !isBuilt(path) && !path.startsWith('!')))
      expect(existsSync(locate(path)), path).toBe(true);
  });
});

import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listDocuments, locate, readDocument, readProse } from '../helpers/documents.ts';

interface Link {
  document: string;
  target: string;
}

function listLinks(document: string): Link[] {
  const prose = readProse(document).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => ({ document, target: match[1]! }));
}

/** Anchors as GitHub derives them from titles. */
function listAnchors(document: string): string[] {
  return [...readProse(document).matchAll(/^#+ (.+)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function findProblem({ document, target }: Link): string | null {
  if (/^[a-z]+:/.test(target)) return target.startsWith('https://') ? null : 'not https';
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? document : posix.join(posix.dirname(document), path);
  if (!existsSync(locate(file))) return 'no such file';
  if (anchor !== undefined && !listAnchors(file).includes(anchor)) return 'no such title';
  return null;
}

describe('links between documents', () => {
  it.each(listDocuments())('of %s have an existing target', (document) => {
    const broken = listLinks(document).flatMap((link) => {
      const problem = findProblem(link);
      return problem === null ? [] : [`${link.target}: ${problem}`];
    });
    expect(broken).toEqual([]);
  });

  it('reach every page', () => {
    const linked = new Set(
      listDocuments()
        .flatMap(listLinks)
        .map(({ document, target }) => posix.join(posix.dirname(document), target.split('#')[0]!)),
    );
    const alone = listDocuments().filter((document) => document !== 'README.md' && !linked.has(document));
    expect(alone).toEqual([]);
  });

  it('detects a missing file and a missing title', () => {
    const link = (target: string) => findProblem({ document: 'docs/README.md', target });
    expect(link('architecture.md')).toBeNull();
    expect(link('../README.md#security')).toBeNull();
    expect(link('nowhere.md')).toBe('no such file');
    expect(link('../README.md#nowhere')).toBe('no such title');
  });
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

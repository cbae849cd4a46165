import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readDocumentList } from './read-document-list.ts';

const README = `# Documents

**To begin with**: the tour in the [README](../README.md).

**For operators**

- [Runs: the command](operations/runs.md), [secrets](operations/secrets.md): what they are
  and [more](missing.md)
`;

it('reads groups and links from the list of documents', () => {
  const paths = ['operations/runs.md', 'operations/secrets.md'];
  expect(readDocumentList(README, (path) => (paths.includes(path) ? `/assets/${path}` : undefined))).toEqual([
    {
      title: 'For operators',
      documents: [
        { title: 'Runs: the command', href: '/assets/operations/runs.md' },
        { title: 'Secrets', href: '/assets/operations/secrets.md' },
      ],
    },
  ]);
});

it('finds every document of the real list', () => {
  const docs = new URL('../../../../../docs/', import.meta.url);
  const groups = readDocumentList(readFileSync(new URL('README.md', docs), 'utf8'), (path) =>
    !path.startsWith('..') && existsSync(new URL(path, docs)) ? path : undefined,
  );
  const titles = groups.flatMap(({ documents }) => documents.map(({ title }) => title));
  expect(titles).toEqual(expect.arrayContaining(['Configuration', 'Secrets', 'Payload filter', 'Decisions']));
});

import { describe, expect, it } from 'vitest';
import { readDocument } from '../helpers/documents.ts';

const { version } = JSON.parse(readDocument('package.json')) as { version: string };
const headings = [...readDocument('CHANGELOG.md').matchAll(/^## (\S+)/gm)].map(([, heading]) => heading!);

describe('the version', () => {
  it('is the one of the changelog, or an unreleased one that no release has', () => {
    const [newest, ...released] = headings;
    if (newest !== 'Unreleased') return expect(version).toBe(newest);
    expect(version).toMatch(/^\d+\.\d+\.\d+-dev$/);
    expect(released).not.toContain(version.replace('-dev', ''));
  });

  it.each(['README.md', 'docs/operations/installing.md'])('is in the names of files of %s', (document) => {
    const named = [...readDocument(document).matchAll(/dockbell-(\d[\w.-]*?)(?=\.tgz|-linux)/g)].map(
      ([, name]) => name,
    );
    expect(new Set(named)).toEqual(new Set([version]));
  });
});

import { describe, expect, it } from 'vitest';
import { parseFactoryFolder, readTreePath } from './tree-names.ts';

describe('Names in a tree', () => {
  it.each(['webhooks/ci.yaml', 'automations/ä b/"q"/automation.md', '.gitignore', 'webhooks/a\\b'])(
    '%j is read',
    (name) => {
      expect(readTreePath(Buffer.from(name))).toEqual({ ok: true, path: name });
    },
  );

  it.each([
    [Buffer.from([0x61, 0xff, 0x22]), '"a\\xff\\x22"'],
    [Buffer.from('a\nb'), '"a\\nb"'],
    [Buffer.from('a\u001b[31m'), '"a\\x1b[31m"'],
    [Buffer.from('a/.GIT/config'), '"a/.GIT/config"'],
    [Buffer.from('a/../b'), '"a/../b"'],
    [Buffer.from('a//b'), '"a//b"'],
  ])('%j is unusable and shown escaped', (name, shown) => {
    expect(readTreePath(name)).toEqual({
      ok: false,
      unusable: { file: shown.slice(1, -1), message: expect.stringContaining(shown) },
    });
  });
});

describe('The folder of a factory', () => {
  it.each([
    ['.', ''],
    ['', ''],
    ['./sub//dir/', 'sub/dir/'],
  ])('%j gives the prefix %j', (folder, prefix) => {
    expect(parseFactoryFolder(folder)).toEqual({ ok: true, prefix });
  });

  it.each(['/etc', '../x', 'a/../b', 'a\nb'])('%j is rejected', (folder) => {
    expect(parseFactoryFolder(folder)).toMatchObject({ ok: false, reason: 'RepositoryRefused' });
  });
});

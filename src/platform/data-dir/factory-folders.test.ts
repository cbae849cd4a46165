import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createTempDir } from '../../../test/helpers/temp-dir.ts';
import type { FolderChange } from '../../domain/ports/definitions.ts';
import { createFactoryFolders, managedFolder } from './factory-folders.ts';

let paths: { mirrors: string; managed: string };
let changes: FolderChange[];
/** The change of this factory cannot be made. */
let stuck: string | null;

beforeEach(() => {
  const dir = createTempDir('folders');
  paths = { mirrors: join(dir, 'mirrors'), managed: join(dir, 'managed') };
  [changes, stuck] = [[], 'broken'];
});

const folders = () =>
  createFactoryFolders(
    {
      folderChanges: async () => [...changes],
      noteFolderChange: async (factory) => {
        if (factory === stuck) throw new Error('disk full');
        changes = changes.filter((change) => change.factory !== factory);
      },
    },
    paths,
  );

/** The repository of a factory that is renamed. */
function rename(factory: string, movedTo: string): void {
  mkdirSync(join(managedFolder(paths, factory), factory), { recursive: true });
  changes.push({ factory, movedTo });
}

/** Has the repository the content of this factory? */
const holds = (factory: string, content: string) => existsSync(join(managedFolder(paths, factory), content));

it('a folder that cannot be moved delays no other factory', async () => {
  rename('broken', 'later');
  rename('payments', 'billing');
  const { settle } = folders();
  await settle('billing');
  expect([holds('billing', 'payments'), changes]).toEqual([true, [{ factory: 'broken', movedTo: 'later' }]]);
  await expect(settle('broken')).rejects.toThrow('disk full');
  await expect(settle('later')).rejects.toThrow('disk full');
  await expect(settle()).rejects.toThrow('disk full');
});

it('is moved by the next call', async () => {
  rename('broken', 'later');
  const { settle } = folders();
  await expect(settle('later')).rejects.toThrow('disk full');
  stuck = null;
  await settle('later');
  expect([holds('later', 'broken'), changes]).toEqual([true, []]);
});

it('a folder that was not moved away is not replaced by that of another factory', async () => {
  rename('second', 'third');
  rename('first', 'second');
  stuck = 'second';
  // The change is not noted, so the next call makes it again.
  await expect(folders().settle('first')).rejects.toThrow('disk full');
  expect(holds('second', 'first')).toBe(false);
  stuck = null;
  await folders().settle();
  expect([holds('second', 'first'), changes]).toEqual([true, []]);
});

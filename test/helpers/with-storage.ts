import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Storage } from '../../src/core/ports/storage.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';

/** A storage that can be closed and opened again with the same data. */
export interface OpenedStorage {
  storage: Storage;
  reopen(): void;
  close(): void;
}

/** An implementation of the storage. Each test gets a separate, empty storage in the given folder. */
export interface StorageKind {
  name: string;
  open(folder: string): OpenedStorage;
}

/** The implementations that the contract tests run on. */
export const STORAGES: readonly StorageKind[] = [{ name: 'SQLite', open: openOnFile }];

function openOnFile(folder: string): OpenedStorage {
  const file = join(folder, 'dockbell.db');
  let current = openSqliteStorage(file);
  return {
    get storage() {
      return current;
    },
    reopen: () => {
      current.close();
      current = openSqliteStorage(file);
    },
    close: () => current.close(),
  };
}

/**
 * Opens a storage before each test and closes it afterwards. The folder of a failed test is kept. The properties may
 * be read only inside tests.
 */
export function useStorage(kind: StorageKind): OpenedStorage {
  const folder = useFolder();
  let opened: OpenedStorage | null = null;
  beforeEach(() => {
    opened = kind.open(folder.path);
  });
  afterEach(() => opened?.close());
  return {
    get storage() {
      return opened!.storage;
    },
    reopen: () => opened!.reopen(),
    close: () => opened!.close(),
  };
}

/** A separate folder for each test, deleted when the test has passed. */
export function useFolder(): { readonly path: string } {
  let path = '';
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'dockbell-storage-'));
  });
  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') rmSync(path, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
  };
}

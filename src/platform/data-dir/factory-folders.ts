import { rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, messageOf, systemErrorCode } from '../../domain/errors.ts';
import type { FactoryNames, FolderChange } from '../../domain/ports/definitions.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { workOnEach } from '../../domain/work-on-each.ts';
import { syncFolder } from '../files/write-durably.ts';
import type { DataPaths } from './data-paths.ts';

type FolderPaths = Pick<DataPaths, 'mirrors' | 'managed'>;

/** The mirror of the repository of a factory. It can be fetched again. */
export function mirrorFolder({ mirrors }: Pick<FolderPaths, 'mirrors'>, factory: string): string {
  return join(mirrors, factory);
}

/** The mirror of the heads of pull requests, in the folder that is removed with that of the repository. */
export function requestMirrorFolder(paths: Pick<FolderPaths, 'mirrors'>, factory: string): string {
  return join(mirrorFolder(paths, factory), 'pull-requests');
}

/** The repository of a managed factory. */
export function managedFolder({ managed }: FolderPaths, factory: string): string {
  return join(managed, `${factory}.git`);
}

/** Does what forgetting or renaming a factory left to do in the data directory. */
export interface FactoryFolders {
  /**
   * Resolves when nothing is left to do. The repository of a factory must not be opened before. Throws
   * `source_unavailable` if a folder cannot be moved or removed; the next call tries again.
   *
   * @param factory throws only if a folder of this factory is not what it has to be
   */
  settle(factory?: string): Promise<void>;
  /** A factory was forgotten or renamed. */
  onChange(): void;
}

export function createFactoryFolders(
  names: Pick<FactoryNames, 'folderChanges' | 'noteFolderChange'>,
  paths: FolderPaths,
): FactoryFolders {
  const turns = new TaskQueue();
  let isSettled = false;
  /** By factory, why the last attempt did not change its folder. */
  const failures = new Map<string, unknown>();
  const change = async ({ factory, movedTo }: FolderChange) => {
    // A move would overwrite what was not moved away.
    const earlier = failures.get(factory) ?? failures.get(movedTo ?? factory);
    if (earlier !== undefined) throw earlier;
    await changeFolders(paths, factory, movedTo);
    await names.noteFolderChange(factory);
  };
  const noteFailure = (error: unknown, { factory, movedTo }: FolderChange) => {
    for (const name of [factory, movedTo ?? factory]) failures.set(name, error);
    isSettled = false;
  };
  const settleAll = async () => {
    if (isSettled) return;
    failures.clear();
    // Before the changes are read: one that is added meanwhile resets it.
    isSettled = true;
    const changes = await names.folderChanges().catch((error: unknown) => {
      isSettled = false;
      throw error;
    });
    await workOnEach(changes, change, noteFailure);
  };
  const settle = async (factory?: string) => {
    await settleAll();
    const [failure] = factory === undefined ? failures.values() : [failures.get(factory)];
    if (failure !== undefined) throw failure;
  };
  return {
    settle: (factory) => turns.run(() => settle(factory)),
    onChange: () => {
      isSettled = false;
    },
  };
}

/** Can be repeated after a crash: a folder that was moved is missing. */
async function changeFolders(paths: FolderPaths, factory: string, movedTo: string | null): Promise<void> {
  const repository = managedFolder(paths, factory);
  try {
    await rm(mirrorFolder(paths, factory), { recursive: true, force: true });
    if (movedTo === null) await rm(repository, { recursive: true, force: true });
    else if (await exists(repository)) await replaceFolder(repository, managedFolder(paths, movedTo));
  } catch (cause) {
    const what = movedTo === null ? 'removed' : `moved to ${managedFolder(paths, movedTo)}`;
    throw new AppError('source_unavailable', `${repository} cannot be ${what}: ${messageOf(cause)}`, { cause });
  }
}

async function replaceFolder(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await rename(from, to);
  await syncFolder(dirname(to));
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error) => {
      if (systemErrorCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

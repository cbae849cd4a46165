import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

/** A file system of a few megabytes for one test. */
export interface SmallDisk {
  path: string;
  freeBytes(): number;
  /** Writes a file until the disk is full; `keepBytes` stay free. Returns the file. */
  fill(keepBytes?: number): string;
  remove(): void;
}

/** Mounts one in memory. Prints a message and returns `null` if this user cannot mount. */
export function mountTmpfs(mib: number): SmallDisk | null {
  return mount((folder) =>
    execute('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=0700`, 'dockbell-test', folder], folder),
  );
}

/** Mounts a real ext4 from a file in the temporary folder. `options` are further mount options. */
export function mountExt4(mib: number, options: readonly string[] = []): SmallDisk | null {
  return mount((folder) => {
    const image = `${folder}.img`;
    writeFileSync(image, '');
    truncateSync(image, mib * 1024 * 1024);
    execute('mkfs.ext4', ['-q', '-F', '-m', '0', image], image);
    execute('mount', ['-o', ['loop', ...options].join(','), image, folder], image);
  });
}

/** Mounts the file system of a container without a volume. */
export function mountOverlay(): SmallDisk | null {
  return mount((folder) => {
    const layers = `${folder}.img`;
    for (const name of ['lower', 'upper', 'work']) mkdirSync(join(layers, name), { recursive: true });
    const options = `lowerdir=${layers}/lower,upperdir=${layers}/upper,workdir=${layers}/work`;
    execute('mount', ['-t', 'overlay', '-o', options, 'dockbell-test', folder], layers);
  });
}

function mount(attach: (folder: string) => void): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'dockbell-small-disk-'));
  try {
    attach(folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    console.warn(`NOT TESTED: a small file system cannot be mounted here (it needs root): ${String(error)}`);
    return null;
  }
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    path: folder,
    freeBytes,
    fill: (keepBytes = 0) => fillDisk(join(folder, 'filler'), () => freeBytes() - keepBytes),
    remove: () => {
      // Lazy unmount: after a failed test, a daemon may still use it.
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
      rmSync(`${folder}.img`, { recursive: true, force: true });
    },
  };
}

function execute(command: string, args: string[], leftover: string): void {
  try {
    execFileSync(command, args, { stdio: 'pipe' });
  } catch (error) {
    rmSync(leftover, { recursive: true, force: true });
    throw error;
  }
}

function fillDisk(file: string, leftBytes: () => number): string {
  const descriptor = openSync(file, 'a');
  for (let bytes = 1024 * 1024; bytes >= 1; ) {
    if (leftBytes() <= 0) break;
    try {
      writeSync(descriptor, Buffer.alloc(Math.min(bytes, Math.max(1, leftBytes())), 7));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      bytes = Math.floor(bytes / 2);
    }
  }
  closeSync(descriptor);
  return file;
}

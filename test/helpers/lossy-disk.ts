import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An ext4 in a file, which can lose its power. */
export interface LossyDisk {
  /** Folder of the file system. The same after each loss of power. */
  path: string;
  /**
   * Everything that was not synced is lost, and every later write fails, until `restorePower`. This is the ioctl with which
   * the Linux kernel tests file systems: the file system stops without writing its journal or its cache.
   */
  losePower(): void;
  /** Mounts the file system again, as after a restart of the machine. All processes that used it must have ended. */
  restorePower(): void;
  remove(): void;
}

/** `EXT4_IOC_SHUTDOWN` with `EXT4_GOING_FLAGS_NOLOGFLUSH`. Node.js has no ioctl; git already needs Perl on most systems. */
const SHUT_DOWN =
  'open(my $folder, "<", $ARGV[0]) or die $!; my $flags = pack("L", 2); ioctl($folder, 0x8004587d, $flags) or die $!;';

/** Mounts one. Prints a line and returns `null` if this machine cannot, or this user may not. */
export function mountLossyDisk(mib: number): LossyDisk | null {
  const root = mkdtempSync(join(tmpdir(), 'dockbell-power-'));
  const image = join(root, 'image');
  const path = join(root, 'disk');
  const mount = () => run('mount', ['-o', 'loop', image, path]);
  const losePower = () => run('perl', ['-e', SHUT_DOWN, path]);
  const restorePower = () => {
    run('umount', [path]);
    mount();
  };
  const disk = {
    path,
    losePower,
    restorePower,
    remove: () => {
      // Lazy unmount: after a failed test, a daemon may still use it.
      execFileSync('umount', ['--lazy', path], { stdio: 'ignore' });
      rmSync(root, { recursive: true, force: true });
    },
  };
  try {
    mkdirSync(path);
    writeFileSync(image, '');
    truncateSync(image, mib * 1024 * 1024);
    run('mkfs.ext4', ['-q', '-F', '-m', '0', image]);
    mount();
  } catch (error) {
    rmSync(root, { recursive: true, force: true });
    return explain(error);
  }
  try {
    losePower();
    restorePower();
    return disk;
  } catch (error) {
    disk.remove();
    return explain(error);
  }
}

function run(command: string, args: string[]): void {
  execFileSync(command, args, { stdio: 'pipe' });
}

function explain(error: unknown): null {
  console.warn(`NOT TESTED: loss of power cannot be simulated here (it needs root, ext4 and Perl): ${String(error)}`);
  return null;
}

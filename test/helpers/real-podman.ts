import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../src/domain/errors.ts';
import { createTempDir } from './temp-dir.ts';

/** Podman on this machine, with an image whose programs are those of this machine. */
export interface RealPodman {
  image: string;
  /** Variables for the daemon, which select a configuration of Podman that works here. */
  environment: Record<string, string>;
  /** Calls Podman as the daemon does. Throws if it fails. */
  call(...args: string[]): string;
  /** The containers of all runs of daemons, also those that have ended. */
  containers(): string[];
}

const IMAGE = 'localhost/dockbell-test-runs:latest';
const PROGRAMS = ['sh', 'cat', 'date', 'env', 'head', 'id', 'sleep', 'tail', 'touch'];

/** Default limits of Podman can exceed those of this machine, and its default runtime does not support each layout of cgroups. */
const LIMITS = 'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]';
const RUNTIMES = ['crun', 'runc'];

/** Resolves with `null` if Podman cannot run containers here; one line on the console has the reason. */
export function openRealPodman(): RealPodman | null {
  try {
    return open();
  } catch (error) {
    console.warn(`SKIPPED: tests with real containers of podman: ${messageOf(error).trim().split('\n').at(-1)}`);
    return null;
  }
}

function open(): RealPodman {
  const folder = createTempDir('podman');
  chmodSync(folder, 0o755);
  importImage(folder);
  const problems: string[] = [];
  for (const runtime of RUNTIMES) {
    const podman = configure(folder, runtime);
    try {
      podman.call('run', '--rm', '--network=none', '--pull=never', '--memory=256m', IMAGE, '/bin/sh', '-c', 'true');
      return podman;
    } catch (error) {
      problems.push(messageOf(error).trim().split('\n').at(-1)!);
    }
  }
  throw new Error(problems.join('; '));
}

function importImage(folder: string): void {
  const root = join(folder, 'root');
  for (const name of ['tmp', 'proc', 'sys', 'dev', 'etc', 'dockbell/run'])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of PROGRAMS) copyProgram(name, root);
  execFileSync('/bin/sh', ['-c', 'tar -C "$0" -c . | podman import -q - "$1"', root, IMAGE], { stdio: 'pipe' });
}

/** The program, and the libraries that it loads. */
function copyProgram(name: string, root: string): void {
  const program = execFileSync('/bin/sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).trim();
  const libraries = spawnSync('ldd', [program], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? [];
  for (const file of [program, ...libraries]) {
    const target = file === program ? join(root, 'bin', name) : join(root, file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
  }
}

function configure(folder: string, runtime: string): RealPodman {
  const file = join(folder, `${runtime}.conf`);
  writeFileSync(file, `[containers]\n${LIMITS}\n[engine]\nruntime = "${runtime}"\ncgroup_manager = "cgroupfs"\n`);
  const { HOME = '/', XDG_RUNTIME_DIR } = process.env;
  const environment = { HOME, CONTAINERS_CONF: file, ...(XDG_RUNTIME_DIR === undefined ? {} : { XDG_RUNTIME_DIR }) };
  const env = { ...environment, PATH: process.env.PATH };
  const call = (...args: string[]) =>
    execFileSync('podman', args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
  return {
    image: IMAGE,
    environment,
    call,
    containers: () => call('ps', '--all', '--quiet', '--filter', 'label=dockbell.run').split('\n').filter(Boolean),
  };
}

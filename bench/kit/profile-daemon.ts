import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTempDir } from '../../test/helpers/temp-dir.ts';

/** Self time in one thread, without the time in which it waits. */
export interface ThreadProfile {
  /** `main`, or the program of a worker thread below `dist/`. */
  program: string;
  busyMs: number;
  /** Milliseconds by function, or by module for the code of Node.js. Largest first. */
  groups: [name: string, ms: number][];
}

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}

interface CpuProfile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

/** CPU profiles of all threads of a daemon. */
export interface DaemonProfiler {
  /** Variables for the environment of the daemon. */
  env: Record<string, string>;
  /** Records while `act` runs. */
  record(act: () => Promise<void>): Promise<ThreadProfile[]>;
}

/** Threads look for the order to start and stop. */
const ORDER_MS = 200;
const WRITE_MS = 3_000;
/** Waiting, and what the profiler itself does. */
const IGNORED = new Set(['(idle)', 'Node.js, inspector']);
const SPECIAL: Readonly<Record<string, string>> = {
  '(program)': 'system calls and native code',
  '(garbage collector)': 'garbage collection',
};

export function prepareProfiler(): DaemonProfiler {
  const folder = createTempDir('profile');
  return {
    env: {
      NODE_OPTIONS: `--import=${new URL('profile-threads.mjs', import.meta.url).href}`,
      DOCKBELL_PROFILE_DIR: folder,
    },
    async record(act) {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      writeFileSync(join(folder, 'start'), '');
      await pause(ORDER_MS);
      await act();
      writeFileSync(join(folder, 'stop'), '');
      await pause(WRITE_MS);
      const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
      return files
        .map((name) => {
          const { program, profile } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
          return summarise(program, profile);
        })
        .sort((a, b) => b.busyMs - a.busyMs);
    },
  };
}

function summarise(program: string, { nodes, samples, timeDeltas }: CpuProfile): ThreadProfile {
  const names = nameNodes(nodes);
  const times = new Map<string, number>();
  samples.forEach((id, index) => {
    const name = names.get(id)!;
    if (IGNORED.has(name)) return;
    times.set(name, (times.get(name) ?? 0) + Math.max(0, timeDeltas[index]!) / 1_000);
  });
  const groups = [...times].sort(([, a], [, b]) => b - a);
  return { program: program.replace(/^.*\/dist\//, ''), busyMs: groups.reduce((sum, [, ms]) => sum + ms, 0), groups };
}

/** A function without a name is described by the one that called it, for example the calls of SQLite. */
function nameNodes(nodes: readonly ProfileNode[]): Map<number, string> {
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
  const nameOf = ({ id, callFrame }: ProfileNode): string => {
    const { functionName, url } = callFrame;
    if (url.startsWith('node:')) return `Node.js, ${url.slice('node:'.length)}`;
    if (functionName.startsWith('RegExp: ')) return 'regular expressions';
    if (functionName !== '') return SPECIAL[functionName] ?? functionName;
    const parent = parents.get(id);
    const caller = parent === undefined ? 'the program' : nameOf(parent).replace(/^(native code|function) in /, '');
    return `${url === '' ? 'native code' : 'function'} in ${caller}`;
  };
  return new Map(nodes.map((node) => [node.id, nameOf(node)]));
}

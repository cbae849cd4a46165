import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STAND_IN = fileURLToPath(new URL('./stand-in-engine.mjs', import.meta.url));

/** Programs `docker` and `podman` in a folder for `PATH`, whose "containers" are processes of this machine. */
export interface StandInEngine {
  bin: string;
  /** The arguments of each call, oldest first. */
  calls(): string[][];
  /** IDs of the containers that exist. */
  containers(): string[];
  /** The next containers are created when the returned function is called. */
  holdPulls(): () => void;
  /** From now on, the first commands start processes for all containers, as those of Podman do without root. */
  startHelpers(): void;
  /** Numbers of these processes. */
  helpers(): { namespaces: number; network: number };
}

/** @param folder an existing folder */
export function installStandInEngine(folder: string): StandInEngine {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of ['docker', 'podman']) {
    copyFileSync(STAND_IN, join(bin, `${name}.mjs`));
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${process.execPath} ${join(bin, name)}.mjs "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return {
    bin,
    calls: () => {
      const lines = readFileSync(join(bin, 'calls.jsonl'), 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line));
    },
    containers: () => {
      const state = join(bin, 'containers');
      return existsSync(state) ? readdirSync(state).filter((id) => !id.startsWith('.')) : [];
    },
    holdPulls: () => {
      writeFileSync(join(bin, 'pulling'), '');
      return () => rmSync(join(bin, 'pulling'));
    },
    startHelpers: () => writeFileSync(join(bin, 'with-helpers'), ''),
    helpers: () => {
      const read = (name: string) => Number(readFileSync(join(bin, `helper-${name}`), 'utf8'));
      return { namespaces: read('namespaces'), network: read('network') };
    },
  };
}

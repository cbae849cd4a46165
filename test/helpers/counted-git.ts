import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../src/domain/runs/reserved-variables.ts';

/** A git that records how it is started. */
export interface CountedGit {
  /** For the source under test. */
  environment: Environment;
  /** The subcommands of all processes since the last call, in order. */
  takeCommands(): string[];
}

/** @param folder for a program that records its arguments and starts git, and for the record */
export function createCountedGit(folder: string): CountedGit {
  const [bin, log] = [join(folder, 'counted-bin'), join(folder, 'counted.log')];
  mkdirSync(bin, { recursive: true });
  writeFileSync(log, '');
  const program = join(bin, 'git');
  writeFileSync(program, `#!/bin/sh\necho "$1" >> '${log}'\nPATH="\${PATH#*:}"\nexec git "$@"\n`);
  chmodSync(program, 0o755);
  return {
    environment: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    takeCommands: () => {
      const commands = readFileSync(log, 'utf8').split('\n').slice(0, -1);
      writeFileSync(log, '');
      return commands;
    },
  };
}

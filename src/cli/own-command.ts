import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { quoteForShell } from '../domain/words/escape-text.ts';
import { NPM_PACKAGE } from '../domain/words/publication.ts';
import type { CliContext } from './context.ts';

/** What started this process. */
type Started = Pick<NodeJS.Process, 'execPath' | 'argv'>;

/**
 * The words that start this program again in a shell in `cwd`: `dockbell` if the installed one was started, otherwise Node.js and
 * the script. A command that npm resolves by name could execute a package of somebody else.
 */
export function describeOwnCommand({ execPath, argv }: Started, { cwd, env }: Pick<CliContext, 'cwd' | 'env'>): string {
  const script = argv[1] ?? '';
  const words = basename(script) === NPM_PACKAGE ? [script] : [execPath, script];
  return words.map((path) => quoteForShell(nameProgram(path, cwd, env.PATH ?? ''))).join(' ');
}

/** The name of a program that the shell finds at this path, otherwise its path, which is relative below `cwd`. */
function nameProgram(path: string, cwd: string, searched: string): string {
  const name = basename(path);
  const found = searched.split(delimiter).find((folder) => existsSync(join(folder, name)));
  if (found === dirname(path)) return name;
  const below = relative(cwd, path);
  return below.startsWith('..') ? path : `./${below}`;
}

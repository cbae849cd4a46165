import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { escapeText } from '../domain/words/escape-text.ts';
import { CONFIG_FILE } from './connection.ts';
import { CliError } from './exit-codes.ts';

/** The configuration that an option names, which must exist, or the one of the working directory, which may be missing. */
export function findConfigFile(named: string | undefined, cwd: string): string {
  const file = resolve(cwd, named ?? CONFIG_FILE);
  if (named === undefined || existsSync(file)) return file;
  throw new CliError(`The configuration file ${escapeText(file)} does not exist.`);
}

import { InvalidArgumentError, Option } from 'commander';
import { suggest } from '../../domain/suggest.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { CliError } from '../exit-codes.ts';
import type { ChangedRows } from './changed-rows.ts';
import type { ResultKind } from './result-kinds.ts';

const RESULT_FORMATS = ['table', 'json', 'yaml', 'name'] as const;

type ResultFormat = (typeof RESULT_FORMATS)[number];

/** The options of every command that lists or shows. */
export interface ResultOptions {
  json?: boolean;
  output?: ResultFormat;
  quiet?: boolean;
  fields?: readonly string[];
  /** With `--watch`: print only rows that changed since the last list. */
  changes?: ChangedRows;
}

/** Names of these options, for options that exclude them. */
export const RESULT_OPTIONS = ['json', 'output', 'quiet', 'fields'];

/** The options for results of one kind. `--json` is not one of them, because all commands with JSON have it. */
export function createResultOptions({ fields, names }: ResultKind<never>): Option[] {
  return [
    new Option('-o, --output <format>', `format: a table, JSON, YAML, or only ${names} (default: table)`)
      .choices(RESULT_FORMATS)
      .conflicts('json'),
    new Option('-q, --quiet', `print only ${names}, one on each line, as -o name does`).conflicts([
      'json',
      'output',
      'fields',
    ]),
    new Option(
      '--fields <names>',
      'only these fields, separated by commas: columns of the table, keys of JSON and YAML',
    )
      .conflicts('quiet')
      .argParser((text) => readFields(text, fields)),
  ];
}

/** The format that the options select. Throws `CliError` for fields of names. */
export function chooseFormat({ json, output, quiet, fields }: ResultOptions): ResultFormat {
  if (output === 'name' && fields !== undefined) {
    throw new CliError('-o name prints no other fields.', { hint: 'Omit --fields, or use -o table, json or yaml.' });
  }
  if (quiet) return 'name';
  return json ? 'json' : (output ?? 'table');
}

/** The fields for the help. It omits those of objects within, which the error for an unknown one lists. */
export function listFieldNames({ fields }: ResultKind<never>): string[] {
  return fields.filter((name) => !name.includes('.'));
}

/** Do the arguments select a format in which errors are printed as JSON? One line of JSON is YAML, too. */
export function wantsDataErrors(argv: readonly string[]): boolean {
  return argv.some((word, index) => {
    if (word === '--json') return true;
    if (word === '-o' || word === '--output') return isData(argv[index + 1]);
    const value = /^(?:-o=?|--output=)(.+)$/.exec(word)?.[1];
    return isData(value);
  });
}

function isData(format: string | undefined): boolean {
  return format === 'json' || format === 'yaml';
}

function readFields(text: string, known: readonly string[]): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!known.includes(name)) throw new InvalidArgumentError(describeUnknown(name, known));
  }
  return [...new Set(names)];
}

function describeUnknown(name: string, known: readonly string[]): string {
  const similar = suggest(name, known);
  const question = similar === null ? '' : ` Did you mean ${similar}?`;
  return `There is no field '${escapeText(name)}'.${question} The fields are ${known.join(', ')}.`;
}

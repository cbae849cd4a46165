import type { Argument, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { listNames } from './list-names.ts';
import { type CommandTree, locateWord, type WordPlace } from './locate-word.ts';

/** One word that the shell offers. */
interface Candidate {
  value: string;
  /** Empty if none. bash shows only the values. */
  description: string;
}

interface Completion {
  candidates: Candidate[];
  /** What the shell offers in addition. It reads the file system itself. */
  paths: 'files' | 'folders' | 'none';
}

/** A description longer than this makes lists of candidates hard to read. */
const MAX_DESCRIPTION = 72;

/**
 * Prints what fits at the cursor: a line for each candidate, with its description after a tab. The last line names the
 * paths that fit.
 *
 * @param words the words after the name of the program, up to the cursor; the last one can be empty
 */
export async function printCompletion(tree: CommandTree, words: readonly string[], context: CliContext): Promise<void> {
  const { candidates, paths } = await completeWords(tree, words, context);
  const lines = candidates.map(({ value, description }) => (description === '' ? value : `${value}\t${description}`));
  context.stdout.write(`${[...lines, `:${paths}`].join('\n')}\n`);
}

async function completeWords(tree: CommandTree, words: readonly string[], context: CliContext): Promise<Completion> {
  const place = await locateWord(tree, words);
  const { word, prefix, target } = place;
  const found = [
    ...listSubcommands(place),
    ...listOptions(place),
    ...(target?.argChoices ?? []).map(withoutDescription),
    ...listFields(place).map(withoutDescription),
    ...(await listNames(place, context)).map(withoutDescription),
  ];
  return {
    candidates: found
      .filter(({ value }) => value.startsWith(word))
      .map(({ value, description }) => ({ value: prefix + value, description: shorten(description) })),
    paths: place.mayBeOption && word.startsWith('-') ? 'none' : describePaths(target),
  };
}

/** Groups have no arguments, so a word without a place is the name of a subcommand. */
function listSubcommands({ command, target }: WordPlace): Candidate[] {
  if (target !== null) return [];
  return command
    .visibleSubcommands()
    .map((subcommand) => ({ value: subcommand.name(), description: subcommand.description() }));
}

/** Options are offered only after a hyphen, because a list of all is longer than that of the subcommands. */
function listOptions({ command, word, mayBeOption, given }: WordPlace): Candidate[] {
  if (!mayBeOption || !word.startsWith('-')) return [];
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  return options
    .filter((option) => option.variadic || !given.includes(option))
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));
}

/** `--fields` takes a list, so the names before the last comma stay. */
function listFields({ command, word, target }: WordPlace): string[] {
  const isFields = target !== null && 'flags' in target && target.long === '--fields';
  if (!isFields || command.result === null) return [];
  const before = word.slice(0, word.lastIndexOf(',') + 1);
  const given = before.split(',');
  return command.result.fields.filter((name) => !given.includes(name)).map((name) => before + name);
}

/** `<file>`, `<dir>` and `<paths>` in the help stand for paths of files. `<path>` is one in a payload. */
function describePaths(target: Option | Argument | null): Completion['paths'] {
  if (target === null || target.argChoices !== undefined) return 'none';
  const name = 'flags' in target ? (/[<[]([\w-]+)/.exec(target.flags)?.[1] ?? '') : target.name();
  if (/^dirs?$/.test(name)) return 'folders';
  return name === 'file' || name === 'paths' ? 'files' : 'none';
}

function withoutDescription(value: string): Candidate {
  return { value, description: '' };
}

/** One line of limited length, so that the shell can show one candidate on each line. */
function shorten(description: string): string {
  const line = description.replace(/\s+/g, ' ');
  return line.length <= MAX_DESCRIPTION ? line : `${line.slice(0, MAX_DESCRIPTION - 3).trimEnd()}...`;
}

import type { Argument, Option } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import type { ConnectionOptions } from '../connection.ts';

/** The program, whose commands have only names until they are declared. */
export interface CommandTree {
  program: CliCommand;
  declare(name: string): Promise<void>;
}

/** What the word at the cursor stands for. */
export interface WordPlace {
  /** The command that the words before the cursor name. */
  command: CliCommand;
  /** The word up to the cursor, without `--option=`. */
  word: string;
  /** `--option=` if the word begins with it, otherwise empty. */
  prefix: string;
  /** The option or argument whose value the word is. `null` for a subcommand, an option, or a word too many. */
  target: Option | Argument | null;
  /** Can the word be an option? False after `--` and for the value of an option. */
  mayBeOption: boolean;
  /** Options that the line has already. */
  given: readonly Option[];
  /** Values of options before the cursor, by their name in the program. */
  values: ConnectionOptions;
}

/**
 * Finds what the last of the words stands for, and declares the command that they name. bash passes `--option=value` as
 * three words, other shells as one.
 *
 * @param words the words after the name of the program, up to the cursor; the last one can be empty
 */
export async function locateWord({ program, declare }: CommandTree, words: readonly string[]): Promise<WordPlace> {
  let command = program;
  let operands = 0;
  let pending: Option | null = null;
  let mayBeOption = true;
  const given: Option[] = [];
  const values: Record<string, string> = {};
  for (const word of words.slice(0, -1)) {
    if (pending !== null) {
      if (word === '=') continue;
      values[pending.attributeName()] = word;
      pending = null;
    } else if (mayBeOption && word === '--') {
      mayBeOption = false;
    } else if (mayBeOption && word.startsWith('-') && word !== '-') {
      const [flag, value] = splitOption(word);
      const option = findOption(command, flag);
      if (option === null) continue;
      given.push(option);
      if (value !== null) values[option.attributeName()] = value;
      else if (option.required) pending = option;
    } else {
      const named = command.visibleSubcommands().find((candidate) => candidate.name() === word);
      if (named === undefined) operands += 1;
      else if (named.parent !== program) command = named;
      // The arguments of `help` are names of commands.
      else if (word !== 'help') {
        await declare(word);
        command = named;
      }
    }
  }
  const last = words.at(-1) ?? '';
  const place = { command, prefix: '', given, values };
  if (pending !== null) return { ...place, word: last === '=' ? '' : last, target: pending, mayBeOption: false };
  const [flag, value] = splitOption(last);
  const assigned = mayBeOption && value !== null ? findOption(command, flag) : null;
  if (assigned !== null) return { ...place, word: value!, prefix: `${flag}=`, target: assigned, mayBeOption: false };
  return { ...place, word: last, target: findArgument(command, operands), mayBeOption };
}

/** `--option=value` as two parts. The value is `null` if the word has none. */
function splitOption(word: string): [flag: string, value: string | null] {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  return equals === -1 ? [word, null] : [word.slice(0, equals), word.slice(equals + 1)];
}

/** The option of the command, or of a command above it. */
function findOption(command: CliCommand, flag: string): Option | null {
  const found = command.options.find(({ long, short }) => long === flag || short === flag);
  if (found !== undefined) return found;
  return command.parent === null ? null : findOption(command.parent as CliCommand, flag);
}

/** The argument at that place. The last one may be repeated. */
function findArgument({ registeredArguments }: CliCommand, index: number): Argument | null {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : null);
}

import { Command, Help, Option } from 'commander';
import { suggest } from '../domain/suggest.ts';
import { type CliErrorCode, codeOf, EXIT_CODES, type ExitCode, exitCodeOf } from './exit-codes.ts';
import type { ResultKind } from './output/result-kinds.ts';
import { createResultOptions, listFieldNames } from './output/result-options.ts';

/** Notes that `--help` and the generated reference show below the options. */
interface CommandNotes {
  /** Commands to paste, each with its effect. */
  examples: readonly (readonly [command: string, effect: string])[];
  /** The meaning of exit code 1, in addition to unknown names. Omitted if the command has no other negative answer. */
  negative?: string;
  /** The exit codes of failures. Omitted if they are those of all commands. */
  failures?: string;
  /** Further paragraphs. */
  more?: string;
}

/** The exit code of one command for an error: from that of all commands, the code of the error, and the options. */
type ReplaceExitCode = (exit: ExitCode, code: CliErrorCode, options: Readonly<Record<string, unknown>>) => number;

/** A commander command that stores its notes, so that help and reference have one source. */
export class CliCommand extends Command {
  notes: CommandNotes | null = null;
  /** What the command lists or shows; `null` for other commands. */
  result: ResultKind<never> | null = null;
  /** Does the command work without a daemon? */
  isOffline = false;
  /** The subcommand that gets words that name none; `null` if the group has none. */
  #default: CliCommand | null = null;
  #replaceExitCode: ReplaceExitCode = (exit) => exit;

  constructor(name?: string) {
    super(name);
    // Commander prints the help of a group before it checks whether the subcommand exists.
    this.on('beforeHelp', () => this.#requireSubcommands());
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** A subcommand whose name can be omitted. The help of the group also describes how to call it. */
  defaultCommand(name: string): CliCommand {
    const command = this.command(name, { isDefault: true });
    this.#default = command;
    this.addHelpText('after', () => (command.notes === null ? '' : `\n${renderNotes(command, command.notes)}`));
    return command;
  }

  override createHelp(): Help {
    const help = super.createHelp();
    const called = this.#default;
    if (called === null) return help;
    const { commandUsage } = help;
    return Object.assign(help, {
      commandUsage: (group: Command) => `${pathOf(group)} ${called.usage()}\n       ${commandUsage.call(help, group)}`,
      visibleArguments: () => new Help().visibleArguments(called),
      visibleOptions: () => new Help().visibleOptions(called),
    });
  }

  /** Adds notes below the options. */
  explain(notes: CommandNotes): this {
    this.notes = notes;
    return this.addHelpText('after', () => `\n${renderNotes(this, notes)}`);
  }

  /** Declares failures that end this command with another exit code than all others. */
  withExitCodes(replace: ReplaceExitCode): this {
    this.#replaceExitCode = replace;
    return this;
  }

  /** The exit code for an error that this command threw. */
  exitCodeOf(error: unknown): number {
    return this.#replaceExitCode(exitCodeOf(error), codeOf(error), this.opts());
  }

  /** Marks a command that needs no daemon: its help omits the options that find one. */
  offline(): this {
    this.isOffline = true;
    return this.configureHelp({ showGlobalOptions: false });
  }

  /** Prints the help of a group that was called without a subcommand. It goes to standard output and is not an error. */
  override help(): never {
    return super.help();
  }

  /** Does the command only group its subcommands? */
  get isGroup(): boolean {
    return this.commands.length > 0 && (this.notes === null || this.parent === null);
  }

  #requireSubcommands(): void {
    // A group with a default subcommand has arguments.
    if (this.#default !== null) return;
    const named = this.args.find((word) => !word.startsWith('-') && word !== 'help');
    if (this.commands.length > 0 && named !== undefined) this.findSubcommand(named);
  }

  /** The subcommand of this name. Ends the program with the error for an unknown command if none exists. */
  findSubcommand(name: string): CliCommand {
    const found = this.commands.find((command) => command.name() === name);
    if (found !== undefined) return found as CliCommand;
    const similar = suggest(
      name,
      this.commands.map((command) => command.name()),
    );
    const question = similar === null ? '' : `\n(Did you mean ${similar}?)`;
    this.error(`error: unknown command '${name}'${question}`, { code: 'commander.unknownCommand' });
  }

  /** The subcommands that help and reference list: not the hidden ones, and not the help command of commander. */
  visibleSubcommands(): CliCommand[] {
    return this.createHelp()
      .visibleCommands(this)
      .filter((command): command is CliCommand => this.commands.includes(command));
  }

  /** The options `--yes` and `--dry-run` of every command that deletes or replaces something. */
  withYes(): this {
    return this.option(
      '-y, --yes',
      'skip the confirmation; the command never asks if standard input is not a terminal',
    ).withDryRun();
  }

  /** The option `--dry-run` of every command that stops, deletes or replaces something. */
  withDryRun(): this {
    return this.option('--dry-run', 'print what the command would change, and change nothing');
  }

  /** The option `--json` of every command that lists or shows. */
  withJson(what = "the API's JSON"): this {
    return this.option('--json', `print ${what} instead of text`);
  }

  /** The options of every command that lists or shows objects of the API: format, names only, fields. */
  withResult(kind: ResultKind<never>, what?: string): this {
    this.result = kind;
    this.withJson(what);
    for (const option of createResultOptions(kind)) this.addOption(option);
    return this;
  }

  /** The option `--watch` of lists. */
  withWatch(conflicts: readonly string[] = []): this {
    const text =
      'print the list again whenever it may have changed, until Ctrl-C; without a terminal, only changed rows';
    return this.addOption(new Option('-w, --watch', text).conflicts([...conflicts]));
  }

  /** The paragraphs after the description, for help and reference. */
  listParagraphs(): string[] {
    const { notes, result } = this;
    const fields = result === null ? [] : [wrapWords(`Fields: ${listFieldNames(result).join(', ')}.`)];
    return [...(notes?.more === undefined ? [] : [notes.more]), ...fields];
  }
}

/** The names of the command from the program on. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The sentence about exit codes that help and reference show. */
export function describeExitCodes({ isOffline }: CliCommand, { negative, failures }: CommandNotes): string {
  const findsNames = !isOffline && failures === undefined;
  const negatives = [
    ...(negative === undefined ? [] : [negative]),
    ...(findsNames ? ['a name or reference is unknown'] : []),
  ];
  const one = negatives.length === 0 ? [] : [`1 ${negatives.join(', or ')}`];
  return ['0 done', ...one, failures ?? (isOffline ? WRONG_USAGE : DAEMON_FAILURES)].join('; ');
}

const WRONG_USAGE = `${EXIT_CODES.usage} wrong usage`;

/** The exit codes of failures of commands that use a daemon. */
export const DAEMON_FAILURES = `${WRONG_USAGE}; ${EXIT_CODES.unreachable} the daemon or the network cannot be reached; ${EXIT_CODES.denied} not signed in or not allowed`;

function renderNotes(command: CliCommand, notes: CommandNotes): string {
  const more = command
    .listParagraphs()
    .map((text) => `${text}\n\n`)
    .join('');
  const examples = notes.examples.map(([command, effect]) => `  # ${effect}\n  $ ${command}`).join('\n');
  return `${more}Examples:\n${examples}\n\nExit codes: ${describeExitCodes(command, notes)}.`;
}

function wrapWords(text: string): string {
  return text.replace(/(.{1,78})(?: |$)/g, '$1\n').trimEnd();
}

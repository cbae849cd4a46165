import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../config/duration.ts';

/** What a person learns from below the options of `--help`, and from the generated reference. */
export interface CommandNotes {
  /** Lines to paste, each with what it does. */
  examples: readonly (readonly [command: string, effect: string])[];
  /** What exit code 1 means here; left out where the command has no negative answer. */
  negative?: string;
  /** What exit code 3 means here; left out where there is none. */
  changed?: string;
  /** Further paragraphs. */
  more?: string;
}

/** A commander command that remembers its notes, so that help and reference come from one place. */
export class CliCommand extends Command {
  notes: CommandNotes | null = null;

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Adds notes below the options. */
  explain(notes: CommandNotes): this {
    this.notes = notes;
    return this.addHelpText('after', `\n${renderNotes(notes)}`);
  }

  /** Marks a command that talks to no daemon: its help leaves out the options that find one. */
  offline(): this {
    return this.configureHelp({ showGlobalOptions: false });
  }

  /** The option `--json` of every command that lists or shows. */
  withJson(what = "the API's JSON"): this {
    return this.option('--json', `print ${what} instead of text for people`);
  }
}

/** The sentence about exit codes that help and reference show. */
export function describeExitCodes(notes: CommandNotes): string {
  const negative = notes.negative === undefined ? '' : `1 ${notes.negative}, `;
  const changed = notes.changed === undefined ? '' : `, 3 ${notes.changed}`;
  return `0 done, ${negative}2 wrong usage or unreachable daemon${changed}`;
}

function renderNotes(notes: CommandNotes): string {
  const more = notes.more === undefined ? '' : `${notes.more}\n\n`;
  const examples = notes.examples.map(([command, effect]) => `  # ${effect}\n  $ ${command}`).join('\n');
  return `${more}Examples:\n${examples}\n\nExit codes: ${describeExitCodes(notes)}.`;
}

/** An option whose value is a duration, kept in milliseconds. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const durationMs = parseDuration(text);
    if (durationMs === null) throw new InvalidArgumentError('Write a whole number and a unit, such as 30s, 2m or 1h.');
    return durationMs;
  });
}

/** An option whose value is a whole number from 1 to `max`. */
export function countOption(flags: string, description: string, max = 100_000): Option {
  return new Option(flags, description).argParser((text) => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (count < 1 || count > max) throw new InvalidArgumentError(`Write a whole number from 1 to ${max}.`);
    return count;
  });
}

import { createInterface } from 'node:readline';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CommandSession } from '../command-session.ts';
import { CliError } from '../exit-codes.ts';

export interface DryRunOptions {
  dryRun?: boolean;
  json?: boolean;
}

export interface ConfirmOptions extends DryRunOptions {
  yes?: boolean;
}

/** A change that deletes, stops or replaces something, for the question and for `--dry-run`. Texts are escaped here. */
export interface Change {
  /** What is done, as a command: Delete the webhook ci. */
  action: string;
  /** The consequences, one sentence each. */
  effects: readonly string[];
  /** Throws `CliError` if the daemon would reject the change. Only `--dry-run` needs it. */
  check?(): Promise<void> | void;
}

/**
 * Asks on a terminal before a change. With `--yes`, or if standard input is not a terminal, it does not ask. Throws `CliError`
 * `declined` for any answer except yes.
 *
 * @returns whether the command makes the change. With `--dry-run`, the change is printed instead
 */
export async function confirm(session: CommandSession, options: ConfirmOptions, change: Change): Promise<boolean> {
  if (await showDryRun(session, options, change)) return false;
  const { context } = session;
  if (options.yes || context.stdin.isTTY !== true) return true;
  const question = [`${change.action}?`, ...change.effects].join(' ');
  context.stderr.write(`${escapeText(question)} [y/N] `);
  if (/^y(es)?$/i.test((await readLine(context.stdin)).trim())) return true;
  throw new CliError('Nothing was changed.', {
    code: 'declined',
    hint: 'Answer y, or use --yes to skip the question.',
  });
}

/** With `--dry-run`: checks and prints the change, and returns true. The session rejects requests that change something. */
export async function showDryRun(
  { output }: Pick<CommandSession, 'output'>,
  { dryRun, json }: DryRunOptions,
  { action, effects, check }: Change,
): Promise<boolean> {
  if (!dryRun) return false;
  await check?.();
  if (json) output.json({ dry_run: true, action, effects });
  else {
    output.line(`Dry run, nothing was changed: ${escapeText(action)}.`);
    for (const effect of effects) output.line(`  ${escapeText(effect)}`);
  }
  return true;
}

/** One typed line; empty at the end of the input. */
function readLine(input: NodeJS.ReadableStream): Promise<string> {
  // Not in raw mode: the terminal edits the line, and Ctrl-C ends the process.
  const lines = createInterface({ input, terminal: false });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve(''));
  });
}

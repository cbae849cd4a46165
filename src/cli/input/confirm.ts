import { createInterface } from 'node:readline';
import { escapeText } from '../../words/escape-text.ts';
import type { CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';

export interface ConfirmOptions {
  yes?: boolean;
}

/**
 * Asks on a terminal before something is deleted or replaced. With `--yes`, or if standard input is not a terminal, it
 * does not ask. Throws `CliError` with exit code 1 for any answer except yes.
 *
 * @param question the change as a question; it is escaped here
 */
export async function confirm({ context }: CommandSession, { yes }: ConfirmOptions, question: string): Promise<void> {
  if (yes || context.stdin.isTTY !== true) return;
  context.stderr.write(`${escapeText(question)} [y/N] `);
  if (/^y(es)?$/i.test((await readLine(context.stdin)).trim())) return;
  throw new CliError('Nothing was changed.', {
    exitCode: EXIT_CODES.negative,
    hint: 'Answer y, or use --yes to skip the question.',
  });
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

import { createInterface } from 'node:readline';
import { escapeText } from '../../words/escape-text.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import type { Session } from '../session.ts';

export interface ConfirmOptions {
  yes?: boolean;
}

/**
 * Asks on a terminal before something is deleted or replaced. Scripts, whose standard input is not a terminal, go on
 * without a question, as does `--yes`. Throws `CliError` with exit code 1 for any answer but yes.
 *
 * @param question what happens, as a question; escaped here
 */
export async function confirm({ context }: Session, { yes }: ConfirmOptions, question: string): Promise<void> {
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
  // Not as a terminal: the system keeps its line editing, and Ctrl-C ends the process.
  const lines = createInterface({ input, terminal: false });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve(''));
  });
}

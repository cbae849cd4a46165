import ora from 'ora';
import type { CliContext } from '../context.ts';
import { hasColors } from './colors.ts';

/** Shows on standard error that a long operation is in progress. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

/** A spinner. Without a terminal, nobody watches, and nothing is printed. */
export function startProgress(context: CliContext, text: string): Progress {
  return context.stderr.isTTY === true ? startSpinner(context, text) : { update: () => {}, stop: () => {} };
}

function startSpinner(context: CliContext, text: string): Progress {
  // Without this option, ora sets the terminal to raw mode, and the shell does not handle Ctrl-C.
  const color = hasColors(context.stderr, context.env) ? 'cyan' : undefined;
  const spinner = ora({
    text,
    stream: context.stderr as NodeJS.WriteStream,
    discardStdin: false,
    ...(color === undefined ? {} : { color }),
  }).start();
  return {
    update: (next) => {
      spinner.text = next;
    },
    stop: () => void spinner.stop(),
  };
}

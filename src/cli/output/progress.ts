import ora from 'ora';
import type { CliContext } from '../context.ts';
import { hasColors } from './colors.ts';

/** Shows on standard error that a long operation is in progress. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

/** A spinner on a terminal, otherwise one line for each change. */
export function startProgress(context: CliContext, text: string): Progress {
  return context.stderr.isTTY === true ? startSpinner(context, text) : startLines(context, text);
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

function startLines(context: CliContext, text: string): Progress {
  let last = text;
  context.stderr.write(`${text}\n`);
  return {
    update: (next) => {
      if (next !== last) context.stderr.write(`${next}\n`);
      last = next;
    },
    stop: () => {},
  };
}

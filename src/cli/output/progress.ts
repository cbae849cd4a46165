import ora from 'ora';
import type { CliContext } from '../context.ts';
import { hasColors } from './colors.ts';

/** Tells on standard error that long work goes on. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

/** A spinner on a terminal, elsewhere one line for each thing that is new. */
export function startProgress(context: CliContext, text: string): Progress {
  return context.stderr.isTTY === true ? startSpinner(context, text) : startLines(context, text);
}

function startSpinner(context: CliContext, text: string): Progress {
  // discardStdin off: ora would otherwise hold the terminal in raw mode and swallow Ctrl-C of the shell's own handling.
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

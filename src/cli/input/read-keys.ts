import type { CliContext, CliInput } from '../context.ts';

type KeyContext = Pick<CliContext, 'stdin' | 'stdout' | 'terminalJob'>;

interface KeyRequest {
  onKey: (key: string) => void;
  /** Ends reading, and gives the keys back to the terminal. */
  ended: AbortSignal;
}

/** A terminal that passes single keys passes these too, and sends no signals for them. */
const SIGNALS = { '\u0003': 'SIGINT', '\u001a': 'SIGTSTP', '\u001c': 'SIGQUIT' } as const;

/** Can single keys be read? Only from a terminal, and only if no other program, such as a pager, reads the same keys. */
export function hasKeys({ stdin, stdout, terminalJob }: KeyContext): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && terminalJob.isForeground();
}

/** Reads single keys from a terminal. Ctrl-C, Ctrl-Z and Ctrl-\ have their usual effect. Requires `hasKeys`. */
export function readKeys({ stdin, stdout, terminalJob }: KeyContext, { onKey, ended }: KeyRequest): void {
  if (ended.aborted) return;
  // A terminal that closes fails to be read. The signal SIGHUP, which comes too, ends the program.
  stdin.on('error', () => {});
  const onData = (chunk: string | Buffer) => {
    const text = chunk.toString();
    const signal = Object.entries(SIGNALS).find(([key]) => text.includes(key))?.[1];
    if (signal !== undefined) {
      release();
      terminalJob.signal(signal);
      // A stopped job continues here, maybe in the background.
      if (signal === 'SIGTSTP' && !ended.aborted && hasKeys({ stdin, stdout, terminalJob })) take();
    } else if (text.length === 1) onKey(text);
    // Anything longer is pasted, or is one special key.
  };
  const take = () => {
    stdin.on('data', onData);
    setMode(stdin, true);
    stdin.resume();
  };
  const release = () => {
    stdin.off('data', onData);
    setMode(stdin, false);
    stdin.pause();
  };
  ended.addEventListener('abort', release, { once: true });
  take();
}

function setMode(stdin: CliInput, isRaw: boolean): void {
  stdin.setRawMode?.(isRaw);
}

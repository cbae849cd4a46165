import { escapeText } from '../../domain/words/escape-text.ts';
import { SECRET_NAME_PATTERN } from '../../domain/words/names.ts';
import type { CliContext, CliInput } from '../context.ts';
import { CliError } from '../exit-codes.ts';

// Far larger than any credential, and small enough to hold in memory.
const MAX_SECRET_BYTES = 65_536;

/** Reads a secret from standard input: a hidden line on a terminal, otherwise everything without one final newline. */
export async function readSecretValue(context: CliContext, prompt: string): Promise<string> {
  const { stdin } = context;
  const value = stdin.isTTY === true ? await readHiddenLine(context, stdin, prompt) : await readAll(stdin);
  return requireNotEmpty(value);
}

/** Rejects an empty value, because it would accept every sender. */
export function requireNotEmpty(value: string): string {
  if (value !== '') return value;
  throw new CliError('The value is empty. A secret must not be empty.', {
    hint: 'Write the value to standard input, for example: dockbell secret create NAME < value.txt',
  });
}

/** Everything on standard input as text, without one final newline, which `echo` writes. */
async function readAll(stdin: CliInput): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > MAX_SECRET_BYTES) throw new CliError(`The value is longer than ${MAX_SECRET_BYTES} bytes.`);
    chunks.push(bytes);
  }
  return decodeSecretText(Buffer.concat(chunks));
}

/** The text of a secret that was read as bytes, without one final newline. */
export function decodeSecretText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.replace(/\r?\n$/, '');
  } catch (cause) {
    throw new CliError('The value is not valid UTF-8 text.', { hint: 'Encode it, for example in base64.', cause });
  }
}

function interrupted(): CliError {
  return new CliError('Interrupted. Nothing was changed.', { code: 'interrupted' });
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACES = ['\u007f', '\b'];

/** One hidden line. Ctrl-C cancels. */
async function readHiddenLine(context: CliContext, stdin: CliInput, prompt: string): Promise<string> {
  context.stderr.write(`${prompt} (hidden): `);
  stdin.setRawMode?.(true);
  stdin.resume();
  stdin.setEncoding('utf8');
  try {
    return await collectLine(stdin);
  } finally {
    stdin.setRawMode?.(false);
    stdin.pause();
    context.stderr.write('\n');
  }
}

function collectLine(stdin: CliInput): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const finish = (end: () => void) => {
      stdin.off('data', onData);
      stdin.off('end', onEnd);
      end();
    };
    const onEnd = () => finish(() => resolve(typed.join('')));
    const onData = (chunk: string | Buffer) => {
      for (const key of chunk.toString()) {
        if (key === '\r' || key === '\n' || key === CTRL_D) return finish(() => resolve(typed.join('')));
        if (key === CTRL_C) return finish(() => reject(interrupted()));
        typed = BACKSPACES.includes(key) ? typed.slice(0, -1) : [...typed, key];
      }
    };
    stdin.on('data', onData);
    stdin.on('end', onEnd);
  });
}

/** Rejects an invalid name of a secret before the value is read. */
export function requireSecretName(name: string): void {
  if (SECRET_NAME_PATTERN.test(name)) return;
  throw new CliError(`'${escapeText(name)}' cannot be the name of a secret.`, {
    hint: 'Use a letter or _, then at most 127 letters, digits or _, such as INTERNAL_CI_WEBHOOK_SECRET.',
  });
}

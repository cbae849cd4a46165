import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliContext } from '../context.ts';
import { CliError } from '../exit-codes.ts';

/** The exact bytes of a file, or of standard input for `-`. */
export async function readInput(context: CliContext, path: string): Promise<Uint8Array> {
  if (path === '-') return readStandardInput(context);
  try {
    return await readFile(resolve(context.cwd, path));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'the file does not exist' : code === 'EISDIR' ? 'it is a folder' : String(code);
    throw new CliError(`${path} cannot be read: ${why}.`, {
      hint: 'Specify the path of a file, or - for standard input.',
      cause,
    });
  }
}

async function readStandardInput(context: CliContext): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of context.stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

/** Parses JSON as strictly as the ingress parses a body. `what` names the bytes in an error. */
export function parseJsonBytes(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw new CliError(`${what} is not valid JSON.`, {
      hint: cause instanceof Error ? `${cause.message}.`.replace(/\.\.$/, '.') : '',
      cause,
    });
  }
}

import { checkSignature } from '../../definitions/check/check-signature.ts';
import { CUSTOM } from '../../definitions/signature/schemes/custom-scheme.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { CliContext } from '../context.ts';
import { CliError } from '../exit-codes.ts';
import { readInput } from './read-input.ts';

/** The value of `--data` or `--signature`: a text, `@` and a file, or `-` for standard input. */
export async function readData(context: CliContext, data: string): Promise<Uint8Array> {
  if (data.startsWith('@')) return readInput(context, data.slice(1));
  return data === '-' ? readInput(context, data) : Buffer.from(data, 'utf8');
}

/** The `signature` block, validated as in a webhook file. `null` if the scheme has none. */
export async function readSignature(
  context: CliContext,
  { scheme, signature }: { scheme?: string; signature?: string },
): Promise<JsonObject | null> {
  if (signature === undefined && scheme !== CUSTOM) return null;
  const text = Buffer.from(await readData(context, signature ?? 'null')).toString('utf8');
  const checked = checkSignature(scheme ?? '', text);
  if (checked.ok) return checked.signature;
  throw new CliError(`--signature is not valid: ${checked.message}`, { hint: checked.hint });
}

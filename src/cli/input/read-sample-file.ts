import { isJsonObject } from '../../domain/json.ts';
import { isSendableHeader } from '../../ingress/sender/given-headers.ts';
import type { CliContext } from '../context.ts';
import { CliError } from '../exit-codes.ts';
import { parseJsonBytes, readInput } from './read-input.ts';

/** What a sample says about a request. */
interface SampleRequest {
  body: Uint8Array;
  headers: Record<string, string>;
}

/**
 * Reads a sample to send it: by its name, from the folder of the factory that is the working directory, or from a file that
 * ends in `.json`.
 */
export async function readSampleFile(context: CliContext, webhook: string, nameOrFile: string): Promise<SampleRequest> {
  const isFile = nameOrFile.endsWith('.json');
  const file = isFile ? nameOrFile : `webhooks/${webhook}.samples/${nameOrFile}.json`;
  const sample = parseJsonBytes(await readInput(context, file), file);
  if (!isJsonObject(sample) || sample.body === undefined) {
    throw new CliError(`${file} is not a sample: it has no "body".`, { hint: 'See docs/reference/sample.md.' });
  }
  const { body, headers } = sample;
  return { body: Buffer.from(JSON.stringify(body)), headers: isJsonObject(headers) ? pickSendable(headers) : {} };
}

function pickSendable(headers: { [name: string]: unknown }): Record<string, string> {
  const entries = Object.entries(headers).filter(
    ([name, value]) => typeof value === 'string' && isSendableHeader(name),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

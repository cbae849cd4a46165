import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../domain/json.ts';

/** A sample to send: `body` is compact JSON. */
interface ShownSample {
  name: string;
  body: string;
}

/** The first sample of a webhook that starts something, else its first one; `null` without one. */
export async function findSample(dir: string, webhook: string): Promise<ShownSample | null> {
  const folder = join(dir, 'webhooks', `${webhook}.samples`);
  const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.json')).sort();
  let first: ShownSample | null = null;
  for (const file of files) {
    const sample = await readSample(join(folder, file));
    if (sample === null) continue;
    const shown = { name: file.slice(0, -'.json'.length), body: sample.body };
    if (sample.isStarting) return shown;
    first ??= shown;
  }
  return first;
}

async function readSample(file: string): Promise<{ body: string; isStarting: boolean } | null> {
  try {
    const sample: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!isJsonObject(sample) || sample.body === undefined) return null;
    const { body, starts } = sample;
    return { body: JSON.stringify(body), isStarting: Array.isArray(starts) && starts.length > 0 };
  } catch {
    return null;
  }
}

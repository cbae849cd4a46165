import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { MAX_DEFINITION_BYTES, type TreeEntry } from '../../core/source-tree.ts';
import { isCredentialHeader } from '../../signature/schemes/credential-headers.ts';
import { decodeText } from '../../yaml/decode-text.ts';
import { parseJson } from '../../yaml/parse-json.ts';
import type { YamlText } from '../../yaml/parse-yaml.ts';
import { FILE_START } from '../../yaml/positions.ts';
import { checkDefinitionSchema } from '../check/check-definition-schema.ts';
import { checkExposedSecret } from '../check/check-exposed-secret.ts';
import type { FileDiagnostics } from '../file-diagnostics.ts';
import type { SampleEntry } from './sort-entries.ts';

/** A delivery in a file next to the definition of its webhook, and the automations that it must start. */
export interface Sample {
  webhook: string;
  /** The file name without `.json`. */
  name: string;
  /** Path relative to the root of the repository. */
  file: string;
  description: string | null;
  headers: { [name: string]: string };
  body: Json;
  /** Exactly these automations; `null` if the sample expects nothing and only reports. */
  starts: string[] | null;
}

/** A sample and the text that it was read from, for rules that need other files. */
export interface ReadSample {
  sample: Sample;
  json: YamlText;
}

/**
 * Reads `webhooks/<webhook>.samples/<name>.json`.
 *
 * @param namedHeaders lowercase names of headers that contain a signature of this webhook, in addition to the known ones
 * @returns `null` if the file is invalid; the problems are in `diagnostics`
 */
export function readSample(
  entry: SampleEntry,
  diagnostics: FileDiagnostics,
  namedHeaders: readonly string[] = [],
): ReadSample | null {
  const text = readText(entry.entry, diagnostics);
  if (text === null) return null;
  const read = parseSample(entry, text, diagnostics, namedHeaders);
  // Always reported, but the sample is evaluated nevertheless.
  checkExposedSecret(text, diagnostics);
  return read;
}

function parseSample(
  { webhook, name }: SampleEntry,
  text: string,
  diagnostics: FileDiagnostics,
  namedHeaders: readonly string[],
): ReadSample | null {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const hint = 'A sample is strict JSON: use double quotes, no comments, and no comma after the last entry.';
    const message = `Not valid JSON: ${parsed.message}`;
    diagnostics.add({ rule: 'sample/invalid-json', at: parsed.at, path: [], message, hint });
    return null;
  }
  checkDefinitionSchema('sample', parsed.json, diagnostics);
  checkHeaders(parsed.json, diagnostics, namedHeaders);
  if (!diagnostics.isEmpty()) return null;
  return { sample: toSample(webhook, name, parsed.json.value as JsonObject, diagnostics.file), json: parsed.json };
}

function readText(entry: TreeEntry, diagnostics: FileDiagnostics): string | null {
  if (entry.bytes === null || entry.bytes.length > MAX_DEFINITION_BYTES) {
    const message = `The sample has ${entry.size} bytes. The limit is ${MAX_DEFINITION_BYTES} bytes (256 KiB).`;
    const hint = 'Remove the parts of the body that no filter tests.';
    diagnostics.add({ rule: 'sample/too-large', at: FILE_START, path: [], message, hint });
    return null;
  }
  const decoded = decodeText(entry.bytes);
  if (decoded.ok) return decoded.text;
  const message = 'The sample is not valid UTF-8: this byte is not part of a character.';
  diagnostics.add({ rule: 'sample/not-utf8', at: decoded.at, path: [], message, hint: 'Save the file as UTF-8.' });
  return null;
}

const FIELD_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/;

function checkHeaders(json: YamlText, diagnostics: FileDiagnostics, namedHeaders: readonly string[]): void {
  const headers = isJsonObject(json.value) ? json.value.headers : undefined;
  if (!isJsonObject(headers)) return;
  const names = Object.keys(headers);
  diagnostics.addAll(
    names
      .filter((name) => !FIELD_NAME.test(name))
      .map((name) => () => ({
        rule: 'sample/invalid-value',
        at: json.locate(['headers', name]).key,
        path: ['headers', name],
        message: 'This is not a valid header name.',
        hint: "Use only letters, digits and ! # $ % & ' * + - . ^ _ ` | ~.",
      })),
  );
  const secret = names.filter((name) => isCredentialHeader(name) || namedHeaders.includes(name.toLowerCase()));
  diagnostics.addAll(
    secret.map((name) => () => ({
      rule: 'sample/credential-header',
      at: json.locate(['headers', name]).key,
      path: ['headers', name],
      message: `The header ${name} contains a credential or a signature, which must not be in a repository.`,
      hint: 'Remove the header: samples are evaluated without authentication. If the value was real, rotate the secret.',
    })),
  );
}

function toSample(webhook: string, name: string, declared: JsonObject, file: string): Sample {
  return {
    webhook,
    name,
    file,
    description: (declared.description as string | undefined) ?? null,
    headers: (declared.headers as { [name: string]: string } | undefined) ?? {},
    body: declared.body!,
    starts: (declared.starts as string[] | undefined) ?? null,
  };
}

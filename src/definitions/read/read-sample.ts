import { MAX_DEFINITION_BYTES, type TreeEntry } from '../../domain/definitions/source-tree.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { checkDefinitionSchema } from '../check/check-definition-schema.ts';
import { checkExposedSecret } from '../check/check-exposed-secret.ts';
import { FileFindings, type ProblemCollector } from '../file-diagnostics.ts';
import { decodeText } from '../yaml/decode-text.ts';
import { parseJson } from '../yaml/parse-json.ts';
import type { YamlText } from '../yaml/parse-yaml.ts';
import { FILE_START } from '../yaml/positions.ts';
import type { SampleFile } from './definition-file.ts';
import { PlacedTextList, type PlacedTexts, type SampleResult } from './file-result.ts';
import { findForeignContent } from './find-foreign-content.ts';

/** A delivery in a file next to a definition, and the automations that it must start. */
export interface Sample {
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

/** The result of a sample. `sample` is `null` if its text is invalid; headers with credentials do not count. */
interface ReadSample {
  result: SampleResult;
  sample: Sample | null;
}

/** Reads `<name>.json` in a folder of samples. */
export function readSampleFile({ name, entry }: SampleFile, findings: FileFindings): ReadSample {
  const exposed = new FileFindings(findings.file);
  const text = readText(entry, findings);
  const json = text === null ? null : parseSample(text, findings);
  // Always reported, but the sample is evaluated nevertheless.
  if (text !== null) checkExposedSecret(text, exposed);
  const isValid = json !== null && findings.isEmpty();
  const result: SampleResult = {
    kind: 'sample',
    path: entry.path,
    digest: entry.digest,
    findings: findings.toFindings(),
    headers: json === null ? NO_TEXTS : collectHeaders(json),
    starts: isValid ? collectStarts(json) : NO_TEXTS,
    exposedFindings: exposed.toFindings(),
  };
  return { result, sample: isValid ? toSample(name, json.value as JsonObject, findings.file) : null };
}

function parseSample(text: string, diagnostics: ProblemCollector): YamlText | null {
  const foreign = findForeignContent(text);
  if (foreign !== null) {
    diagnostics.add({ ...foreign, rule: 'sample/invalid-json' });
    return null;
  }
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const hint = 'A sample is strict JSON: use double quotes, no comments, and no comma after the last entry.';
    const message = `Not valid JSON: ${parsed.message}`;
    diagnostics.add({ rule: 'sample/invalid-json', at: parsed.at, path: [], message, hint });
    return null;
  }
  checkDefinitionSchema('sample', parsed.json, diagnostics);
  checkHeaderNames(parsed.json, diagnostics);
  return parsed.json;
}

function readText(entry: TreeEntry, diagnostics: ProblemCollector): string | null {
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

function listHeaders({ value }: YamlText): string[] {
  const headers = isJsonObject(value) ? value.headers : undefined;
  return isJsonObject(headers) ? Object.keys(headers) : [];
}

function checkHeaderNames(json: YamlText, diagnostics: ProblemCollector): void {
  diagnostics.addAll(
    listHeaders(json)
      .filter((name) => !FIELD_NAME.test(name))
      .map((name) => () => ({
        rule: 'sample/invalid-value',
        at: json.locate(['headers', name]).key,
        path: ['headers', name],
        message: 'This is not a valid header name.',
        hint: "Use only letters, digits and ! # $ % & ' * + - . ^ _ ` | ~.",
      })),
  );
}

const NO_TEXTS: PlacedTexts = { texts: [], places: [] };

function collectHeaders(json: YamlText): PlacedTexts {
  const headers = new PlacedTextList();
  for (const [index, name] of listHeaders(json).entries()) headers.add(name, index, json.locate(['headers', name]).key);
  return headers.toTexts();
}

function collectStarts(json: YamlText): PlacedTexts {
  const starts = new PlacedTextList();
  const names = ((json.value as JsonObject).starts as string[] | undefined) ?? [];
  for (const [index, name] of names.entries()) starts.add(name, index, json.locate(['starts', index]).value);
  return starts.toTexts();
}

function toSample(name: string, declared: JsonObject, file: string): Sample {
  return {
    name,
    file,
    description: (declared.description as string | undefined) ?? null,
    headers: (declared.headers as { [name: string]: string } | undefined) ?? {},
    body: declared.body!,
    starts: (declared.starts as string[] | undefined) ?? null,
  };
}

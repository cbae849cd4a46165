import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { FileDiagnostics, type ProblemCollector } from '../file-diagnostics.ts';
import { CUSTOM, readCustomScheme } from '../signature/schemes/custom-scheme.ts';
import { parseYaml, type YamlText } from '../yaml/parse-yaml.ts';
import { checkDefinitionSchema } from './check-definition-schema.ts';

/** Checks the combinations of keys in a `signature` block, and the weaknesses of the scheme that it describes. */
export function checkSignatureBlock(yaml: YamlText, diagnostics: ProblemCollector): void {
  const { signatureScheme, signature } = yaml.value as JsonObject;
  if (signatureScheme !== CUSTOM || !isJsonObject(signature)) return;
  const read = readCustomScheme(signature);
  const found = read.ok ? read.weaknesses : read.problems;
  for (const { key, message, hint } of found) {
    const path = ['signature', key];
    const rule = read.ok ? 'webhook/weak-signature' : 'webhook/invalid-signature';
    diagnostics.add({ rule, at: yaml.locate(path).key, path, message, hint });
  }
}

/** Lowercase names of the headers that contain a signature or a timestamp according to a `signature` block. */
export function listNamedHeaders(declared: unknown): string[] {
  const block = isJsonObject(declared) ? declared.signature : undefined;
  if (!isJsonObject(block)) return [];
  const timestamp = isJsonObject(block.timestamp) ? block.timestamp.header : undefined;
  return [block.header, timestamp].flat().flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : []));
}

/** Checks a `signature` block that is given as JSON, like the block of a file. */
export function checkSignature(
  signatureScheme: string,
  text: string,
): { ok: true; signature: JsonObject } | { ok: false; message: string; hint: string } {
  const signature = parseJson(text);
  if (!isJsonObject(signature)) return { ok: false, message: 'it is not a JSON object.', hint: 'Write {"header": …}.' };
  const diagnostics = new FileDiagnostics('', {});
  const declared = { authMode: 'signature', secretName: 'NAME', signatureScheme, signature };
  const parsed = parseYaml(JSON.stringify(declared));
  if (!parsed.ok) throw new Error('JSON from JSON.stringify is not YAML');
  checkDefinitionSchema('webhook', parsed.yaml, diagnostics);
  if (!diagnostics.hasErrors()) checkSignatureBlock(parsed.yaml, diagnostics);
  const error = diagnostics.toDiagnostics().find(({ severity }) => severity === 'error');
  return error === undefined ? { ok: true, signature } : { ok: false, message: error.message, hint: error.hint };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

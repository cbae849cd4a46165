import { MAX_DEFINITION_BYTES, type TreeEntry } from '../../domain/definitions/source-tree.ts';
import { checkExposedSecret } from '../check/check-exposed-secret.ts';
import type { ProblemCollector } from '../file-diagnostics.ts';
import { decodeText } from '../yaml/decode-text.ts';
import { FILE_START } from '../yaml/positions.ts';
import { findForeignContent } from './find-foreign-content.ts';

/** The text of a file; `null` if it cannot be read, which is reported. */
export function readDefinitionText(entry: TreeEntry, diagnostics: ProblemCollector): string | null {
  if (entry.bytes === null || entry.bytes.length > MAX_DEFINITION_BYTES) {
    const message = `The file has ${entry.size} bytes. The limit for a definition file is ${MAX_DEFINITION_BYTES} bytes (256 KiB).`;
    const hint = 'Make the file shorter. For example, move documents from the prompt into separate files.';
    diagnostics.add({ rule: 'file/too-large', at: FILE_START, path: [], message, hint });
    return null;
  }
  const decoded = decodeText(entry.bytes);
  if (decoded.ok) {
    const foreign = findForeignContent(decoded.text);
    if (foreign !== null) diagnostics.add(foreign);
    checkExposedSecret(decoded.text, diagnostics);
    return foreign === null ? decoded.text : null;
  }
  const message = 'The file is not valid UTF-8: this byte is not part of a character.';
  diagnostics.add({ rule: 'file/not-utf8', at: decoded.at, path: [], message, hint: 'Save the file as UTF-8.' });
  return null;
}

import { MAX_DEFINITION_BYTES, type TreeEntry } from '../../core/source-tree.ts';
import { decodeText } from '../../yaml/decode-text.ts';
import { FILE_START } from '../../yaml/positions.ts';
import { checkExposedSecret } from '../check/check-exposed-secret.ts';
import type { Findings } from '../findings.ts';

/** The text of a file; `null` where it cannot be read as one, and then a finding says why. */
export function readDefinitionText(entry: TreeEntry, findings: Findings): string | null {
  if (entry.bytes === null || entry.bytes.length > MAX_DEFINITION_BYTES) {
    const message = `The file has ${entry.size} bytes; a definition file may have at most ${MAX_DEFINITION_BYTES} (256 KiB).`;
    const hint = 'Make it shorter, for example by moving documents out of the prompt into files of their own.';
    findings.add({ rule: 'file/too-large', at: FILE_START, path: [], message, hint });
    return null;
  }
  const decoded = decodeText(entry.bytes);
  if (decoded.ok) {
    checkExposedSecret(decoded.text, findings);
    return decoded.text;
  }
  const message = 'The file is not valid UTF-8: a byte that cannot be part of a character stands here.';
  findings.add({ rule: 'file/not-utf8', at: decoded.at, path: [], message, hint: 'Save the file as UTF-8.' });
  return null;
}

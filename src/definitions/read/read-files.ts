// The first half of a validation: each file alone. In: bytes with their path. Out: a `FileResult` (`file-result.ts`), which
// depends on the file alone, so it is kept by path and digest. `sort-entries.ts` says which file is of which kind;
// `read-webhook.ts`, `read-automation.ts`, `read-factory.ts` and `read-sample.ts` read one. In the daemon, this runs in the
// definitions thread, because files are hostile.

import { FileFindings } from '../file-diagnostics.ts';
import type { DefinitionFile } from './definition-file.ts';
import type { FileResult, ReadSettings } from './file-result.ts';
import { readAutomationFile } from './read-automation.ts';
import { readFactoryFile } from './read-factory.ts';
import { readSampleFile } from './read-sample.ts';
import { readWebhookFile } from './read-webhook.ts';

/**
 * Bytes → results. Never throws, for any bytes.
 *
 * @param onFile called with the path of each file, as in diagnostics, before the file is read
 */
export function readFiles(
  files: readonly DefinitionFile[],
  { prefix }: ReadSettings,
  onFile: (file: string) => void = () => {},
): FileResult[] {
  return files.map((file) => {
    const shown = prefix + file.entry.path;
    onFile(shown);
    return readFile(file, new FileFindings(shown));
  });
}

function readFile(file: DefinitionFile, findings: FileFindings): FileResult {
  switch (file.kind) {
    case 'factory':
      return readFactoryFile(file.entry, findings);
    case 'webhook':
      return readWebhookFile(file.name, file.entry, findings);
    case 'automation':
      return readAutomationFile(file.name, file.entry, findings);
    case 'sample':
      return readSampleFile(file, findings).result;
  }
}

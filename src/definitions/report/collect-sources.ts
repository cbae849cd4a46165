import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';

/**
 * The text of each file with a finding, by the path in the finding, to quote the line.
 *
 * @param prefix of the paths in the findings
 */
export function collectSources(
  { prefix: folder, entries }: SourceTree,
  diagnostics: readonly Diagnostic[],
  prefix = '',
): Map<string, string> {
  const quoted = new Set(diagnostics.map(({ file }) => file));
  const readable = entries.filter(({ path, bytes }) => bytes !== null && quoted.has(`${folder}${path}`));
  return new Map(
    readable.map(({ path, bytes }) => [`${prefix}${folder}${path}`, Buffer.from(bytes!).toString('utf8')]),
  );
}

import { createHash } from 'node:crypto';
import type { Diagnostic } from '../../core/diagnostic.ts';

/**
 * A function that names findings for tools that compare two reports: the same while the finding is the same, however far
 * the lines above it have moved, and different for any two findings of one report.
 */
export function createFingerprinter(): (folder: string, diagnostic: Diagnostic) => string {
  const seen = new Map<string, number>();
  return (folder, { rule, file, path, message }) => {
    const what = JSON.stringify([rule, file === '' ? folder : file, path, message]);
    const earlier = seen.get(what) ?? 0;
    seen.set(what, earlier + 1);
    return createHash('sha256').update(`${what}${earlier}`).digest('hex');
  };
}

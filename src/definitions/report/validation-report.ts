import { createHash } from 'node:crypto';
import type { Diagnostic } from '../../core/diagnostic.ts';

/** What was found in one folder. */
export interface FactoryReport {
  /** The folder, relative to the root of the report: `''` or `sub/dir/`. */
  folder: string;
  /** Does it pass? Without `--strict` warnings do. */
  valid: boolean;
  /** In the order of `compareDiagnostics`; `file` is relative to the root of the report. */
  diagnostics: readonly Diagnostic[];
  /** Names that the folder declares. */
  webhooks: readonly string[];
  automations: readonly string[];
  /** Files that were read as definitions, relative to the root of the report. */
  files: readonly string[];
}

/** All that a report of a validation can show. */
export interface ValidationReport {
  /** Does every folder pass? */
  valid: boolean;
  /** One for each folder that was named, in that order. */
  factories: readonly FactoryReport[];
  /** The folder that every path of the report is relative to. */
  root: string;
  /** `file` of a diagnostic → text of that file, for excerpts. Files that are missing here get none. */
  sources: ReadonlyMap<string, string>;
  /** Are colours wanted? */
  color: boolean;
  /** Do warnings fail? */
  isStrict: boolean;
  /** Version of the program, and where its documents stand on the web, with a slash at the end; `null` for nowhere. */
  tool: { version: string; documentsUrl: string };
}

/** The findings of all folders, one after the other. */
export function listDiagnostics({ factories }: ValidationReport): Diagnostic[] {
  return factories.flatMap(({ diagnostics }) => diagnostics);
}

/** What a report comes to, in one sentence without anything that a file says. */
export function summarise({ valid, factories, isStrict }: ValidationReport): string {
  const webhooks = factories.reduce((sum, factory) => sum + factory.webhooks.length, 0);
  const automations = factories.reduce((sum, factory) => sum + factory.automations.length, 0);
  const where = factories.length === 1 ? '' : ` in ${countOf(factories.length, 'factory', 'factories')}`;
  const holds = `${countOf(webhooks, 'webhook')}, ${countOf(automations, 'automation')}${where}`;
  const isOnlyStrict = factories.every(({ diagnostics }) =>
    diagnostics.every(({ severity }) => severity === 'warning'),
  );
  const why = !valid && isStrict && isOnlyStrict ? ' (warnings fail with --strict)' : '';
  return `${valid ? 'Valid' : 'Invalid'}: ${holds}${why}.`;
}

/** For example `2 errors`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

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

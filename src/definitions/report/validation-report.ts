// Findings as people and programs read them. In: diagnostics. Out: a report, printed as text (`format-pretty.ts`), JSON,
// SARIF, JUnit or annotations of a pipeline, in a file for each format. `rule-guide.ts` has the entry of `dockbell explain`.

import { createHash } from 'node:crypto';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import type { TriggerService } from '../../domain/definitions/trigger.ts';
import { countOf } from '../../domain/words/quantities.ts';

/** The result of one folder. */
export interface FactoryReport {
  /** The folder, relative to the root of the report: `''` or `sub/dir/`. */
  folder: string;
  /** Is the folder valid? Without `--strict`, warnings are allowed. */
  valid: boolean;
  /** In the order of `compareDiagnostics`; `file` is relative to the root of the report. */
  diagnostics: readonly Diagnostic[];
  /** Names that the folder declares. */
  webhooks: readonly string[];
  automations: readonly string[];
  /** Which webhooks start the triggers; empty if the folder is invalid. */
  triggers: readonly TriggerService[];
  /** The automations that can start here; empty if the folder is invalid. */
  startable: readonly string[];
  /** Files that were read as definitions, relative to the root of the report. */
  files: readonly string[];
}

/** The data of a validation report. */
export interface ValidationReport {
  /** Is every folder valid? */
  valid: boolean;
  /** One per folder, in the order of the command line. */
  factories: readonly FactoryReport[];
  /** The folder that every path of the report is relative to. */
  root: string;
  /** `file` of a diagnostic → text of that file, for excerpts. */
  sources: ReadonlyMap<string, string>;
  /** Use colors? */
  color: boolean;
  /** Do warnings make a folder invalid? */
  isStrict: boolean;
  /** Version of the program, and the URL of its documentation, with a slash at the end. */
  tool: { version: string; documentsUrl: string };
}

/** The diagnostics of all folders, in order. */
export function listDiagnostics({ factories }: ValidationReport): Diagnostic[] {
  return factories.flatMap(({ diagnostics }) => diagnostics);
}

/** The result in one sentence, without text from files. */
export function summarise({ valid, factories, isStrict }: ValidationReport): string {
  const webhooks = factories.reduce((sum, factory) => sum + factory.webhooks.length, 0);
  const automations = factories.reduce((sum, factory) => sum + factory.automations.length, 0);
  const where = factories.length === 1 ? '' : ` in ${countOf(factories.length, 'factory', 'factories')}`;
  const holds = `${countOf(webhooks, 'webhook')}, ${countOf(automations, 'automation')}${sayStartable(factories)}${where}`;
  const isOnlyStrict = factories.every(({ diagnostics }) =>
    diagnostics.every(({ severity }) => severity === 'warning'),
  );
  const why = !valid && isStrict && isOnlyStrict ? ' (warnings fail with --strict)' : '';
  return `${valid ? 'Valid' : 'Invalid'}: ${holds}${why}.`;
}

/** Only a valid definition shows which automations can start. */
function sayStartable(factories: readonly FactoryReport[]): string {
  const known = factories.filter(({ triggers }) => triggers.length > 0);
  const declared = known.reduce((sum, { automations }) => sum + automations.length, 0);
  const can = known.reduce((sum, { startable }) => sum + startable.length, 0);
  if (known.length < factories.length || declared === can) return '';
  return ` (${can} can start here, ${declared - can} cannot)`;
}

/**
 * Creates a function that gives diagnostics an identity, for tools that compare two reports. The identity does not depend on
 * line numbers, and is unique within one report.
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

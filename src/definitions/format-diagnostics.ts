import type { Diagnostic } from '../core/diagnostic.ts';
import { formatJson } from './format-json.ts';
import { formatPretty } from './format-pretty.ts';

/** All that a report of a validation can show. */
export interface ValidationReport {
  /** In the order of `compareDiagnostics`. */
  diagnostics: readonly Diagnostic[];
  /** Names that the tree declares. */
  webhooks: readonly string[];
  automations: readonly string[];
  /** The folder that `file` of a diagnostic is relative to. */
  root: string;
  /** `file` of a diagnostic → text of that file, for excerpts. Files that are missing here get none. */
  sources: ReadonlyMap<string, string>;
  /** Are colours wanted? */
  color: boolean;
}

/** The formats of `dockbell validate --format`, by name. Each ends with a line break unless it is empty. */
export const DIAGNOSTIC_FORMATS = {
  pretty: (report) => formatPretty(report.diagnostics, report),
  json: (report) => formatJson(report.diagnostics, report),
} as const satisfies { [format: string]: (report: ValidationReport) => string };

export type DiagnosticFormat = keyof typeof DIAGNOSTIC_FORMATS;

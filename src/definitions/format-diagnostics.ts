import { formatJson } from './format-json.ts';
import { formatPretty } from './format-pretty.ts';
import type { ValidationReport } from './validation-report.ts';

/** The formats of `dockbell validate --format`, by name. Each ends with a line break unless it is empty. */
export const DIAGNOSTIC_FORMATS = {
  pretty: (report) => formatPretty(report.diagnostics, report),
  json: (report) => formatJson(report),
} as const satisfies { [format: string]: (report: ValidationReport) => string };

export type DiagnosticFormat = keyof typeof DIAGNOSTIC_FORMATS;

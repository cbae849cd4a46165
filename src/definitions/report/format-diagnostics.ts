import { formatGithub } from './format-github.ts';
import { formatGitlab } from './format-gitlab.ts';
import { formatJson } from './format-json.ts';
import { formatJunit } from './format-junit.ts';
import { formatPrettyReport } from './format-pretty.ts';
import { formatSarif } from './format-sarif.ts';
import type { ValidationReport } from './validation-report.ts';

/** The formats of `dockbell validate --format`, by name. Each ends with a line break. */
export const DIAGNOSTIC_FORMATS = {
  pretty: formatPrettyReport,
  json: formatJson,
  github: formatGithub,
  gitlab: formatGitlab,
  sarif: formatSarif,
  junit: formatJunit,
} as const satisfies { [format: string]: (report: ValidationReport) => string };

export type DiagnosticFormat = keyof typeof DIAGNOSTIC_FORMATS;

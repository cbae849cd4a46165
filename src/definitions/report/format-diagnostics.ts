import { formatGithub, formatGitlab } from './format-annotations.ts';
import { formatJunit } from './format-junit.ts';
import { formatPrettyReport } from './format-pretty.ts';
import { formatSarif } from './format-sarif.ts';
import { type FactoryReport, listDiagnostics, type ValidationReport } from './validation-report.ts';

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

/**
 * The document of `dockbell validate --format json` (interfaces, "Command line"). For several folders, it contains the
 * results of all folders together and, under `factories`, of each folder.
 */
function formatJson(report: ValidationReport): string {
  const { valid, root, factories } = report;
  const document = {
    valid,
    root,
    diagnostics: listDiagnostics(report),
    webhooks: listNames(factories, 'webhooks'),
    automations: listNames(factories, 'automations'),
    ...(factories.length === 1 ? {} : { factories: factories.map(showFactory) }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Without duplicates: two factories may use the same name. */
function listNames(factories: readonly FactoryReport[], kind: 'webhooks' | 'automations'): string[] {
  return [...new Set(factories.flatMap((factory) => factory[kind]))];
}

function showFactory({ folder, valid, diagnostics, webhooks, automations }: FactoryReport): object {
  return { dir: folder === '' ? '.' : folder.slice(0, -1), valid, diagnostics, webhooks, automations };
}

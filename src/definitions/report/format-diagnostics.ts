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
    ...showTriggers(factories),
    ...(factories.length === 1 ? {} : { factories: factories.map(showFactory) }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Without duplicates: two factories may use the same name. */
function listNames(factories: readonly FactoryReport[], kind: 'webhooks' | 'automations'): string[] {
  return [...new Set(factories.flatMap((factory) => factory[kind]))];
}

function showFactory(factory: FactoryReport): object {
  const { folder, valid, diagnostics, webhooks, automations } = factory;
  const dir = folder === '' ? '.' : folder.slice(0, -1);
  return { dir, valid, diagnostics, webhooks, automations, ...showTriggers([factory]) };
}

/** Counts, and the webhooks that start each trigger. */
function showTriggers(factories: readonly FactoryReport[]): object {
  const count = (kind: 'webhooks' | 'automations' | 'startable') =>
    factories.reduce((sum, factory) => sum + factory[kind].length, 0);
  const triggers = factories.flatMap((factory) => factory.triggers);
  return {
    summary: { webhooks: count('webhooks'), automations: count('automations'), startable: count('startable') },
    triggers: triggers.map(({ automation, trigger, servedBy, reason, note }) => ({
      automation,
      trigger,
      served_by: servedBy,
      reason,
      note,
    })),
  };
}

import type { ValidationReport } from './validation-report.ts';

/** The document of `dockbell validate --format json` (interfaces, "Command line"). */
export function formatJson({ valid, root, diagnostics, webhooks, automations }: ValidationReport): string {
  return `${JSON.stringify({ valid, root, diagnostics, webhooks, automations }, null, 2)}\n`;
}

import { type FactoryReport, listDiagnostics, type ValidationReport } from './validation-report.ts';

/**
 * The document of `dockbell validate --format json` (interfaces, "Command line"). For several folders it says the same
 * of all of them together, and under `factories` of each.
 */
export function formatJson(report: ValidationReport): string {
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

/** Each name once: two factories may use the same. */
function listNames(factories: readonly FactoryReport[], kind: 'webhooks' | 'automations'): string[] {
  return [...new Set(factories.flatMap((factory) => factory[kind]))];
}

function showFactory({ folder, valid, diagnostics, webhooks, automations }: FactoryReport): object {
  return { dir: folder === '' ? '.' : folder.slice(0, -1), valid, diagnostics, webhooks, automations };
}

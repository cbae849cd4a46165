import { type Diagnostic, hasErrors } from '../core/diagnostic.ts';

/** The document of `dockbell validate --format json` (interfaces, "Command line"). */
export function formatJson(
  diagnostics: readonly Diagnostic[],
  { root, webhooks, automations }: { root: string; webhooks: readonly string[]; automations: readonly string[] },
): string {
  return `${JSON.stringify({ valid: !hasErrors(diagnostics), root, diagnostics, webhooks, automations }, null, 2)}\n`;
}

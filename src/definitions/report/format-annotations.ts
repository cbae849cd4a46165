import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { createFingerprinter, listDiagnostics, summarise, type ValidationReport } from './validation-report.ts';

/**
 * Diagnostics as workflow commands of GitHub Actions, which shows them as annotations, and a summary at the end. Text from
 * a file cannot start a new line, so it cannot add a command.
 */
export function formatGithub(report: ValidationReport): string {
  return [...listDiagnostics(report).map(formatCommand), summarise(report)].map((line) => `${line}\n`).join('');
}

function formatCommand({ severity, rule, file, line, column, message, hint }: Diagnostic): string {
  const place = file === '' ? [] : [`file=${escapeProperty(escapeText(file))}`, `line=${line}`, `col=${column}`];
  const properties = [...place, `title=${escapeProperty(escapeText(rule))}`].join(',');
  const text = [message, hint].filter((part) => part !== '').map(escapeText);
  return `::${severity} ${properties}::${escapeData(text.join('\n'))}`;
}

/** The runner decodes these three characters in a message. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** In a property, these two must be escaped as well, because they would end it. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

const SEVERITIES: { [severity in Diagnostic['severity']]: string } = { error: 'major', warning: 'minor' };

/** Diagnostics as a code quality report of GitLab. */
export function formatGitlab({ factories }: ValidationReport): string {
  const fingerprint = createFingerprinter();
  const issues = factories.flatMap(({ folder, diagnostics }) =>
    diagnostics.map((diagnostic) => ({
      description: escapeText([diagnostic.message, diagnostic.hint].filter((part) => part !== '').join(' ')),
      check_name: diagnostic.rule,
      fingerprint: fingerprint(folder, diagnostic),
      severity: SEVERITIES[diagnostic.severity],
      // GitLab drops entries without a path, so a diagnostic about the whole folder gets the path of factory.yaml.
      location: { path: diagnostic.file || `${folder}factory.yaml`, lines: { begin: diagnostic.line } },
    })),
  );
  return `${JSON.stringify(issues, null, 2)}\n`;
}

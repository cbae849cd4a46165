import type { Diagnostic } from '../../core/diagnostic.ts';
import { escapeText } from '../../words/escape-text.ts';
import { createFingerprinter } from './fingerprint.ts';
import type { ValidationReport } from './validation-report.ts';

const SEVERITIES: { [severity in Diagnostic['severity']]: string } = { error: 'major', warning: 'minor' };

/** Findings as a code quality report of GitLab. */
export function formatGitlab({ factories }: ValidationReport): string {
  const fingerprint = createFingerprinter();
  const issues = factories.flatMap(({ folder, diagnostics }) =>
    diagnostics.map((diagnostic) => ({
      description: escapeText([diagnostic.message, diagnostic.hint].filter((part) => part !== '').join(' ')),
      check_name: diagnostic.rule,
      fingerprint: fingerprint(folder, diagnostic),
      severity: SEVERITIES[diagnostic.severity],
      // GitLab drops what has no path; a finding about the whole folder stands at the file that every factory may have.
      location: { path: diagnostic.file || `${folder}factory.yaml`, lines: { begin: diagnostic.line } },
    })),
  );
  return `${JSON.stringify(issues, null, 2)}\n`;
}

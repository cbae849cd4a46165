import type { FactoryReport, ValidationReport } from '../../src/definitions/report/validation-report.ts';
import type { Diagnostic } from '../../src/domain/definitions/diagnostic.ts';

export const finding: Diagnostic = {
  severity: 'error',
  rule: 'webhook/unknown-key',
  file: 'webhooks/ci.yaml',
  line: 2,
  column: 3,
  path: 'authmode',
  message: 'The key "authmode" does not exist.',
  hint: 'Did you mean "authMode"?',
};

/** Text with which attackers would try to escape from the value of a format. */
export const HOSTILE =
  'x%0A\r\n::error::forged\n##[error]forged,a:b"\'<b>]]>&amp;\x00\x08\x1b[2J\x7f\x85\u2028\u202e\ufffe\uffff\ud800 {0} [click](https://evil.example)';

export function makeFactory(diagnostics: readonly Diagnostic[], more: Partial<FactoryReport> = {}): FactoryReport {
  const valid = diagnostics.every(({ severity }) => severity === 'warning');
  const names = { webhooks: ['ci'], automations: [], triggers: [], startable: [], files: ['webhooks/ci.yaml'] };
  return { folder: '', valid, diagnostics, ...names, ...more };
}

/** The report of one folder with these findings, or of several folders. */
export function makeReport(
  findings: readonly Diagnostic[] | { factories: FactoryReport[] },
  more: Partial<ValidationReport> = {},
): ValidationReport {
  const factories = 'factories' in findings ? findings.factories : [makeFactory(findings)];
  return {
    valid: factories.every(({ valid }) => valid),
    factories,
    root: '/repo',
    sources: new Map(),
    color: false,
    isStrict: false,
    tool: { version: '1.2.3', documentsUrl: 'https://docs.example/' },
    ...more,
  };
}

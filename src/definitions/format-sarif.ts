import { pathToFileURL } from 'node:url';
import type { Diagnostic } from '../core/diagnostic.ts';
import { escapeLines, escapeText } from '../core/escape-text.ts';
import type { RuleId } from '../core/rules.ts';
import { describeRule } from './describe-rule.ts';
import { createFingerprinter } from './fingerprint.ts';
import { listDiagnostics, type ValidationReport } from './validation-report.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const ROOT = '%SRCROOT%';

/** Findings as a SARIF 2.1.0 log with one run, for code scanning and for viewers in editors. */
export function formatSarif(report: ValidationReport): string {
  const rules = [...new Set(listDiagnostics(report).map(({ rule }) => rule))].sort();
  const run = {
    tool: { driver: describeDriver(report, rules) },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: { [ROOT]: { uri: pathToFileURL(`${report.root}/`).href } },
    results: listResults(report, rules),
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function describeDriver({ tool }: ValidationReport, rules: string[]): object {
  return {
    name: 'Dockbell',
    version: tool.version,
    semanticVersion: tool.version,
    // Both have to be absolute; a package without an address of its own leaves them out.
    ...(tool.documentsUrl === null ? {} : { informationUri: tool.documentsUrl }),
    rules: rules.map((rule) => showRule(rule, tool.documentsUrl)),
  };
}

function showRule(id: string, documentsUrl: string | null): object {
  const { severity, description, page, text } = describeRule(id as RuleId);
  return {
    id,
    shortDescription: { text: description },
    help: { text: `${description} Read more in ${page}.`, markdown: escapeLines(text) },
    ...(documentsUrl === null ? {} : { helpUri: new URL(page, documentsUrl).href }),
    defaultConfiguration: severity === 'off' ? { enabled: false } : { level: severity },
  };
}

function listResults({ factories }: ValidationReport, rules: string[]): object[] {
  const fingerprint = createFingerprinter();
  const indexes = new Map(rules.map((rule, index) => [rule, index]));
  return factories.flatMap(({ folder, diagnostics }) =>
    diagnostics.map((diagnostic) => ({
      ruleId: diagnostic.rule,
      ruleIndex: indexes.get(diagnostic.rule),
      level: diagnostic.severity,
      message: { text: writeMessage(diagnostic) },
      locations: [{ physicalLocation: locate(diagnostic, folder) }],
      partialFingerprints: { 'findingHash/v1': fingerprint(folder, diagnostic) },
    })),
  );
}

/**
 * Plain text, but not for SARIF, where `{0}` is a placeholder and `[text](target)` a link (§3.11.5, §3.11.6): names
 * that a file chose must become neither.
 */
function writeMessage({ message, hint }: Diagnostic): string {
  const text = escapeText([message, hint].filter((part) => part !== '').join(' '));
  return text.replace(/\{(\d+)\}/g, '{{$1}}').replaceAll('](', '\\](');
}

/** A finding about a whole folder stands at the file that every factory may have: code scanning wants a place. */
function locate({ file, line, column }: Diagnostic, folder: string): object {
  const path = file || `${folder}factory.yaml`;
  const uri = path.split('/').map(encodeURIComponent).join('/');
  return { artifactLocation: { uri, uriBaseId: ROOT }, region: { startLine: line, startColumn: column } };
}

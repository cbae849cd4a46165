import { pathToFileURL } from 'node:url';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { RULES, type RuleId, ruleSection } from '../../domain/rules.ts';
import { escapeLines, escapeText } from '../../domain/words/escape-text.ts';
import { dropLinks, type RuleGuide, readRuleGuides, renderRuleMarkdown } from './rule-guide.ts';
import { createFingerprinter, listDiagnostics, type ValidationReport } from './validation-report.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const ROOT = '%SRCROOT%';
const LINK = /\[([^\]\n]*)\]\(([^()\s]+)\)/g;

/** Diagnostics as a SARIF 2.1.0 log with one run, for code scanning and for viewers in editors. */
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
    informationUri: tool.documentsUrl,
    rules: listRules(rules, tool.documentsUrl),
  };
}

function listRules(rules: string[], documentsUrl: string): object[] {
  if (rules.length === 0) return [];
  const guides = readRuleGuides();
  return rules.map((rule) => showRule(rule as RuleId, guides[rule as RuleId], documentsUrl));
}

function showRule(id: RuleId, guide: RuleGuide, documentsUrl: string): object {
  const { severity, description } = RULES[id];
  const helpUri = new URL(ruleSection(id), documentsUrl).href;
  const text = `${description} ${dropLinks(guide.why)}`;
  const markdown = `# ${id}\n\n${renderRuleMarkdown(id, guide)}\n\nAll rules: [diagnostics](diagnostics.md).\n`;
  return {
    id,
    shortDescription: { text: description },
    fullDescription: { text },
    help: { text: `${text} Read more: ${helpUri}`, markdown: anchorLinks(escapeLines(markdown), helpUri) },
    helpUri,
    defaultConfiguration: severity === 'off' ? { enabled: false } : { level: severity },
  };
}

/** Links of a document are relative to it. A report needs the absolute URLs of pages. */
function anchorLinks(markdown: string, pageUrl: string): string {
  return markdown.replace(LINK, (_link, text: string, target: string) => {
    const page = new URL(target.replace(/\.md(?=#|$)/, ''), pageUrl);
    return `[${text}](${page.href})`;
  });
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
 * In SARIF, `{0}` is a placeholder and `[text](target)` a link (§3.11.5, §3.11.6). Names from files must be neither, so they
 * are escaped.
 */
function writeMessage({ message, hint }: Diagnostic): string {
  const text = escapeText([message, hint].filter((part) => part !== '').join(' '));
  return text.replace(/\{(\d+)\}/g, '{{$1}}').replaceAll('](', '\\](');
}

/** Code scanning needs a path, so a diagnostic about a whole folder gets the path of factory.yaml. */
function locate({ file, line, column }: Diagnostic, folder: string): object {
  const path = file || `${folder}factory.yaml`;
  const uri = path.split('/').map(encodeURIComponent).join('/');
  return { artifactLocation: { uri, uriBaseId: ROOT }, region: { startLine: line, startColumn: column } };
}

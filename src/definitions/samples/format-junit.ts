import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { escapeXml } from '../../domain/words/escape-text.ts';
import { describeFailure, groupSamples, type SampleReport, type SampleResult } from './sample-result.ts';

interface Suite {
  xml: string;
  tests: number;
  failures: number;
}

/**
 * Samples as JUnit XML: a suite per webhook, a test case per sample. A sample without expectations counts as skipped. Problems
 * of other files and errors of the definition are in a separate suite.
 */
export function formatJunit({ samples, diagnostics }: SampleReport): string {
  const byFile = groupByFile(diagnostics);
  const suites = [...groupSamples(samples)].map(([webhook, group]) =>
    buildSuite(
      webhook,
      group.map((sample) => buildSample(sample, byFile.get(sample.file) ?? [])),
    ),
  );
  const listed = new Set(samples.map(({ file }) => file));
  const others = [...byFile].filter(([file]) => !listed.has(file));
  if (others.length > 0)
    suites.push(
      buildSuite(
        'definition',
        others.map(([file, found]) => buildFile(file, found)),
      ),
    );
  const sum = (key: 'tests' | 'failures') => suites.reduce((total, suite) => total + suite[key], 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites name="dockbell test" tests="${sum('tests')}" failures="${sum('failures')}" errors="0" time="0">\n`,
    ...suites.map(({ xml }) => xml),
    '</testsuites>\n',
  ].join('');
}

function groupByFile(diagnostics: readonly Diagnostic[]): Map<string, Diagnostic[]> {
  const byFile = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    byFile.set(diagnostic.file, [...(byFile.get(diagnostic.file) ?? []), diagnostic]);
  }
  return byFile;
}

interface Case {
  name: string;
  file: string;
  /** Reasons of the failure; empty if the case did not fail. */
  failures: string[];
  isSkipped: boolean;
}

function buildSample(sample: SampleResult, found: readonly Diagnostic[]): Case {
  const { name, file, outcome, failures } = sample;
  if (outcome === 'invalid') return { ...buildFile(file, found), name };
  const reasons = failures.map((decision) => `${decision.automation} ${describeFailure(decision)}`);
  return { name, file, failures: reasons, isSkipped: outcome === 'reported' };
}

function buildFile(file: string, found: readonly Diagnostic[]): Case {
  const failures = found.map(({ line, column, rule, message }) => `${file}:${line}:${column} ${message} [${rule}]`);
  return { name: file || 'tree', file, failures, isSkipped: false };
}

function buildSuite(name: string, cases: readonly Case[]): Suite {
  const failures = cases.filter((one) => one.failures.length > 0).length;
  const skipped = cases.filter(({ isSkipped }) => isSkipped).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="0"`;
  const open = `  <testsuite name="${escapeXml(name)}" ${counts}>\n`;
  const xml = `${open}${cases.map((one) => writeCase(name, one)).join('')}  </testsuite>\n`;
  return { xml, tests: cases.length, failures };
}

function writeCase(suite: string, { name, file, failures, isSkipped }: Case): string {
  const open = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}" file="${escapeXml(file)}" time="0"`;
  if (isSkipped) return `${open}><skipped message="The sample has no &quot;starts&quot;."/></testcase>\n`;
  const [first] = failures;
  if (first === undefined) return `${open}/>\n`;
  const text = failures.map(escapeXml).join('\n');
  return `${open}>\n      <failure message="${escapeXml(first)}">${text}</failure>\n    </testcase>\n`;
}

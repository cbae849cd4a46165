import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { escapeXml } from '../../domain/words/escape-text.ts';
import { countOf } from '../../domain/words/quantities.ts';
import type { FactoryReport, ValidationReport } from './validation-report.ts';

/**
 * Diagnostics as JUnit XML: a suite per folder, a test case per file. Errors fail the test case. Warnings are its output; with
 * `--strict`, they fail it too.
 */
export function formatJunit({ factories, isStrict }: ValidationReport): string {
  const suites = factories.map((factory) => buildSuite(factory, isStrict));
  const tests = suites.reduce((sum, suite) => sum + suite.tests, 0);
  const failures = suites.reduce((sum, suite) => sum + suite.failures, 0);
  const counts = writeCounts({ tests, failures });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites name="dockbell validate"${counts}>\n`,
    ...suites.map(({ xml }) => xml),
    '</testsuites>\n',
  ].join('');
}

interface Suite {
  xml: string;
  tests: number;
  failures: number;
}

function buildSuite({ folder, diagnostics, files }: FactoryReport, isStrict: boolean): Suite {
  const name = folder === '' ? '.' : folder.slice(0, -1);
  const byFile = new Map<string, Diagnostic[]>(files.map((file) => [file, []]));
  for (const diagnostic of diagnostics) {
    const file = diagnostic.file || name;
    const found = byFile.get(file);
    if (found === undefined) byFile.set(file, [diagnostic]);
    else found.push(diagnostic);
  }
  const cases = [...byFile].map(([file, found]) => buildCase(name, file, found, isStrict));
  const failures = cases.filter(({ fails }) => fails).length;
  const open = `  <testsuite name="${escapeXml(name)}"${writeCounts({ tests: cases.length, failures })}>\n`;
  const xml = `${open}${cases.map((one) => one.xml).join('')}  </testsuite>\n`;
  return { xml, tests: cases.length, failures };
}

function writeCounts({ tests, failures }: { tests: number; failures: number }): string {
  return ` tests="${tests}" failures="${failures}" errors="0" skipped="0" time="0"`;
}

function buildCase(
  suite: string,
  file: string,
  found: Diagnostic[],
  isStrict: boolean,
): { xml: string; fails: boolean } {
  const failing = found.filter(({ severity }) => isStrict || severity === 'error');
  const warnings = found.filter((diagnostic) => !failing.includes(diagnostic));
  const open = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(file)}" file="${escapeXml(file)}" time="0"`;
  if (found.length === 0) return { xml: `${open}/>\n`, fails: false };
  const children = [
    ...(failing.length === 0 ? [] : [buildFailure(failing)]),
    ...(warnings.length === 0 ? [] : [`      <system-out>${writeLines(warnings)}</system-out>\n`]),
  ];
  return { xml: `${open}>\n${children.join('')}    </testcase>\n`, fails: failing.length > 0 };
}

/** One failure for the whole file, because most tools show only the first. */
function buildFailure(failing: Diagnostic[]): string {
  const [first] = failing;
  const more = failing.length === 1 ? '' : ` (and ${countOf(failing.length - 1, 'more finding')})`;
  const attributes = `message="${escapeXml(`${first!.message}${more}`)}" type="${escapeXml(first!.rule)}"`;
  return `      <failure ${attributes}>${writeLines(failing)}</failure>\n`;
}

function writeLines(diagnostics: Diagnostic[]): string {
  return diagnostics
    .map(({ severity, rule, file, line, column, message, hint }) => {
      const place = file === '' ? '' : `${file}:${line}:${column} `;
      const text = `${place}${severity} ${message} [${rule}]`;
      return [text, ...(hint === '' ? [] : [`hint: ${hint}`])].map(escapeXml).join('\n');
    })
    .join('\n');
}

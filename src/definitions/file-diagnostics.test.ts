import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RuleId } from '../domain/rules.ts';
import { FileDiagnostics, FileFindings, type FileProblem } from './file-diagnostics.ts';

const LINT_RULES = ['file/exposed-secret', 'filter/wildcard', 'webhook/no-delivery-id'] as const;
const lint = fc.dictionary(fc.constantFrom(...LINT_RULES), fc.constantFrom('off', 'warning', 'error'));

function createProblem(rule: RuleId, line: number): FileProblem {
  return { rule, at: { line, column: 1 }, path: [], message: `problem ${line}`, hint: '' };
}

it('Findings give the diagnostics that the problems give directly', () => {
  const rules = fc.constantFrom<RuleId>('yaml/syntax', 'webhook/unknown-key', ...LINT_RULES);
  const runs = fc.array(fc.tuple(rules, fc.constantFrom(1, 3, 99, 100, 101, 250)), { maxLength: 6 });
  fc.assert(
    fc.property(runs, lint, (sequence, settings) => {
      const problems = sequence
        .flatMap(([rule, count]) => Array<RuleId>(count).fill(rule))
        .map((rule, index) => createProblem(rule, index + 1));
      const [direct, later] = [new FileDiagnostics('f', settings), new FileDiagnostics('f', settings)];
      const findings = new FileFindings('f');
      for (const problem of problems) {
        direct.add(problem);
        findings.add(problem);
      }
      later.addFindings(structuredClone(findings.toFindings()));
      expect(later.toDiagnostics()).toEqual(direct.toDiagnostics());
      expect(later.hasErrors()).toBe(direct.hasErrors());
    }),
  );
});

it('Findings describe at most 200 of 100,000 problems, and count the others', () => {
  let described = 0;
  const describe = () => createProblem('webhook/unknown-key', ++described);
  const [direct, later] = [new FileDiagnostics('f', {}), new FileDiagnostics('f', {})];
  const findings = new FileFindings('f');
  const problems = Array(100_000).fill(describe);
  findings.addAll(problems);
  expect(described).toBe(200);
  described = 0;
  direct.addAll(problems);
  later.addFindings(findings.toFindings());
  expect(later.toDiagnostics()).toEqual(direct.toDiagnostics());
});

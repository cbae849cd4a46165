import type { Diagnostic, Position, Severity } from '../core/diagnostic.ts';
import { type LintSettings, RULES, type RuleId, severityOf } from '../core/rules.ts';
import { formatKeyPath, type KeyPath } from '../yaml/key-path.ts';

/** One problem, before its file is known. */
export interface FileProblem {
  rule: RuleId;
  at: Position;
  path: KeyPath;
  message: string;
  /** `''` if the message is sufficient. */
  hint: string;
}

// A hostile file can have 100,000 problems. Only the first ones are listed; the last diagnostic counts the others.
const MAX_DIAGNOSTICS_PER_FILE = 100;

/** Collects the problems of one file. */
export class FileDiagnostics {
  readonly file: string;
  readonly #lint: LintSettings;
  readonly #worst: Severity;
  readonly #kept: Diagnostic[] = [];
  #left = 0;
  #leftErrors = 0;

  /**
   * @param file path relative to the root of the repository
   * @param lint severities that the factory sets
   * @param worst severity of problems that are not listed
   */
  constructor(file: string, lint: LintSettings, worst: Severity = 'error') {
    this.file = file;
    this.#lint = lint;
    this.#worst = worst;
  }

  add(finding: FileProblem): void {
    const severity = severityOf(finding.rule, this.#lint);
    if (severity === 'off') return;
    if (this.#kept.length < MAX_DIAGNOSTICS_PER_FILE)
      this.#kept.push({ ...toDiagnostic(this.file, finding), severity });
    else this.#leave(severity);
  }

  /** Describes only the problems that are listed, because locating 100,000 takes minutes. All have the severity `worst`. */
  addAll(errors: Iterable<() => FileProblem>): void {
    for (const describe of errors) {
      if (this.#kept.length < MAX_DIAGNOSTICS_PER_FILE) this.add(describe());
      else this.#leave(this.#worst);
    }
  }

  #leave(severity: Severity): void {
    this.#left++;
    if (severity === 'error') this.#leftErrors++;
  }

  /** Has an error been added, listed or not? */
  hasErrors(): boolean {
    return this.#leftErrors > 0 || this.#kept.some(({ severity }) => severity === 'error');
  }

  isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  toDiagnostics(): Diagnostic[] {
    if (this.#left === 0) return this.#kept;
    const rest = toDiagnostic(this.file, describeRest(this.#left, this.#kept.at(-1)!));
    return [...this.#kept, { ...rest, severity: this.#leftErrors > 0 ? 'error' : 'warning' }];
  }
}

/** The diagnostic for a problem in a file, with the default severity of its rule. */
export function toDiagnostic(file: string, { rule, at, path, message, hint }: FileProblem): Diagnostic {
  const severity: Severity = RULES[rule].severity === 'error' ? 'error' : 'warning';
  return { severity, rule, file, line: at.line, column: at.column, path: formatKeyPath(path), message, hint };
}

function describeRest(left: number, last: Position): FileProblem {
  return {
    rule: 'file/too-many-findings',
    at: { line: last.line, column: last.column },
    path: [],
    message: `${left} more ${left === 1 ? 'problem is' : 'problems are'} not listed.`,
    hint: 'Fix the listed problems, and validate again.',
  };
}

import type { Diagnostic, Position, Severity } from '../core/diagnostic.ts';
import { type LintSettings, RULES, type RuleId, severityOf } from '../core/rules.ts';
import { formatKeyPath, type KeyPath } from '../yaml/key-path.ts';

/** One finding before its file is known. */
export interface Finding {
  rule: RuleId;
  at: Position;
  path: KeyPath;
  message: string;
  /** `''` when the message says it all. */
  hint: string;
}

// A hostile file can be wrong in 100,000 places; nobody reads more than these, and the last one says how many are left.
const MAX_FINDINGS_PER_FILE = 100;

/** Collects what is wrong with one file. */
export class Findings {
  readonly file: string;
  readonly #lint: LintSettings;
  readonly #worst: Severity;
  readonly #kept: Diagnostic[] = [];
  #left = 0;
  #leftErrors = 0;

  /**
   * @param file path relative to the root of the repository
   * @param lint what the factory makes of its lint rules
   * @param worst how bad a finding of this file can be: what is not worded counts as that
   */
  constructor(file: string, lint: LintSettings, worst: Severity = 'error') {
    this.file = file;
    this.#lint = lint;
    this.#worst = worst;
  }

  add(finding: Finding): void {
    const severity = severityOf(finding.rule, this.#lint);
    if (severity === 'off') return;
    if (this.#kept.length < MAX_FINDINGS_PER_FILE) this.#kept.push({ ...toDiagnostic(this.file, finding), severity });
    else this.#leave(severity);
  }

  /** Words only those that are listed: to find the places of 100,000 takes minutes. All must be as bad as can be. */
  addAll(errors: Iterable<() => Finding>): void {
    for (const describe of errors) {
      if (this.#kept.length < MAX_FINDINGS_PER_FILE) this.add(describe());
      else this.#leave(this.#worst);
    }
  }

  #leave(severity: Severity): void {
    this.#left++;
    if (severity === 'error') this.#leftErrors++;
  }

  /** Is there an error so far, listed or not? */
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

/** One finding with its file, at the severity that its rule has by default. */
export function toDiagnostic(file: string, { rule, at, path, message, hint }: Finding): Diagnostic {
  const severity: Severity = RULES[rule].severity === 'error' ? 'error' : 'warning';
  return { severity, rule, file, line: at.line, column: at.column, path: formatKeyPath(path), message, hint };
}

function describeRest(left: number, last: Position): Finding {
  return {
    rule: 'file/too-many-findings',
    at: { line: last.line, column: last.column },
    path: [],
    message: `${left} more ${left === 1 ? 'finding is' : 'findings are'} not listed.`,
    hint: 'Fix the listed ones and validate again.',
  };
}

import type { Diagnostic, Position, Severity } from '../domain/definitions/diagnostic.ts';
import { type LintSettings, RULES, type RuleId, severityOf } from '../domain/rules.ts';
import { formatKeyPath, type KeyPath } from './yaml/key-path.ts';

/** One problem, before its file is known. */
export interface FileProblem {
  rule: RuleId;
  at: Position;
  path: KeyPath;
  message: string;
  /** `''` if the message is sufficient. */
  hint: string;
}

/** Takes the problems of one file. */
export interface ProblemCollector {
  /** Path relative to the root of the repository. */
  readonly file: string;
  add(problem: FileProblem): void;
  /** Describes only the problems that can be listed, because locating 100,000 takes minutes. */
  addAll(problems: Iterable<() => FileProblem>): void;
  /** Has an error been added, listed or not? */
  hasErrors(): boolean;
}

// A hostile file can have 100,000 problems. Only the first ones are listed; the last diagnostic counts the others.
const MAX_DIAGNOSTICS_PER_FILE = 100;

// 5,000 hostile files with 100 problems each would make a list of 150 MB.
const MAX_DIAGNOSTICS_PER_TREE = 5_000;

/** Shares the number of listed problems among the files of a tree. Every file lists at least its first problem. */
export class ListingLimit {
  #left = MAX_DIAGNOSTICS_PER_TREE;

  /** Number of problems that the next file may list. */
  get ofNextFile(): number {
    return this.isReached ? 1 : MAX_DIAGNOSTICS_PER_FILE;
  }

  /** Do further files list only their first problem? */
  get isReached(): boolean {
    return this.#left <= 0;
  }

  /** The next file listed this number of problems. */
  note(listed: number): void {
    this.#left -= listed;
  }
}

/**
 * The problems of one file, independent of the settings of the factory. Contains the problems that a factory with any
 * settings would list.
 */
export interface Findings {
  /** In the order in which they were found, with default severities. */
  listed: readonly Diagnostic[];
  /** Number of further problems by rule. */
  left: ReadonlyMap<RuleId, number>;
  /** Number of further problems whose rule is not known, because they were not described. */
  undescribed: number;
}

const NO_FINDINGS: Findings = { listed: [], left: new Map(), undescribed: 0 };

/** Collects findings. */
export class FileFindings implements ProblemCollector {
  readonly file: string;
  readonly #listed: Diagnostic[] = [];
  readonly #left = new Map<RuleId, number>();
  /** Number of listed problems of each lint rule, and of all other rules together. */
  readonly #counts = new Map<RuleId | null, number>();
  #added = 0;
  #undescribed = 0;
  #hasErrors = false;

  constructor(file: string) {
    this.file = file;
  }

  add(problem: FileProblem): void {
    const { rule } = problem;
    const { isLint } = RULES[rule];
    this.#added++;
    this.#hasErrors ||= !isLint;
    // A factory may turn off a lint rule, and then lists other problems in its place.
    const group = isLint ? rule : null;
    const count = this.#counts.get(group) ?? 0;
    if (count < MAX_DIAGNOSTICS_PER_FILE) {
      this.#counts.set(group, count + 1);
      this.#listed.push(toDiagnostic(this.file, problem));
    } else this.#left.set(rule, (this.#left.get(rule) ?? 0) + 1);
  }

  addAll(problems: Iterable<() => FileProblem>): void {
    for (const describe of problems) {
      // Twice the number that is listed: a factory may turn off those that are listed already.
      if (this.#added < 2 * MAX_DIAGNOSTICS_PER_FILE) this.add(describe());
      else this.#undescribed++;
    }
  }

  /** Has an error been added whose severity no factory can change? */
  hasErrors(): boolean {
    return this.#hasErrors;
  }

  isEmpty(): boolean {
    return this.#listed.length === 0;
  }

  toFindings(): Findings {
    if (this.isEmpty()) return NO_FINDINGS;
    return { listed: this.#listed, left: this.#left, undescribed: this.#undescribed };
  }
}

/** The diagnostics of one file in a factory with its settings. */
export class FileDiagnostics implements ProblemCollector {
  readonly file: string;
  readonly #lint: LintSettings;
  readonly #max: number;
  readonly #worst: Severity;
  readonly #kept: Diagnostic[] = [];
  #left = 0;
  #leftErrors = 0;

  /**
   * @param file path relative to the root of the repository
   * @param lint severities that the factory sets
   * @param max number of problems that are listed
   * @param worst severity of problems that are not described
   */
  constructor(file: string, lint: LintSettings, max: number = MAX_DIAGNOSTICS_PER_FILE, worst: Severity = 'error') {
    this.file = file;
    this.#lint = lint;
    this.#max = max;
    this.#worst = worst;
  }

  /** Number of listed problems. */
  get size(): number {
    return this.#kept.length;
  }

  add(problem: FileProblem): void {
    this.#addDiagnostic(problem.rule, () => toDiagnostic(this.file, problem));
  }

  addAll(problems: Iterable<() => FileProblem>): void {
    for (const describe of problems) {
      if (this.#kept.length < this.#max) this.add(describe());
      else this.#leave(this.#worst, 1);
    }
  }

  /** A copy with more problems. */
  with(problems: readonly FileProblem[]): FileDiagnostics {
    const copy = new FileDiagnostics(this.file, this.#lint, this.#max, this.#worst);
    copy.#kept.push(...this.#kept);
    copy.#left = this.#left;
    copy.#leftErrors = this.#leftErrors;
    for (const problem of problems) copy.add(problem);
    return copy;
  }

  addFindings({ listed, left, undescribed }: Findings): void {
    if (listed.length === 0) return;
    for (const diagnostic of listed) this.#addDiagnostic(diagnostic.rule as RuleId, () => diagnostic);
    for (const [rule, count] of left) {
      const severity = severityOf(rule, this.#lint);
      if (severity !== 'off') this.#leave(severity, count);
    }
    if (undescribed > 0) this.#leave(this.#worst, undescribed);
  }

  #addDiagnostic(rule: RuleId, describe: () => Diagnostic): void {
    const severity = severityOf(rule, this.#lint);
    if (severity === 'off') return;
    if (this.#kept.length < this.#max) this.#kept.push({ ...describe(), severity });
    else this.#leave(severity, 1);
  }

  #leave(severity: Severity, count: number): void {
    this.#left += count;
    if (severity === 'error') this.#leftErrors += count;
  }

  hasErrors(): boolean {
    return this.#leftErrors > 0 || this.#kept.some(({ severity }) => severity === 'error');
  }

  isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  toDiagnostics(): readonly Diagnostic[] {
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

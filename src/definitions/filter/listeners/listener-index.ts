import type { DeliveryFilter, Received } from '../../../domain/definitions/trigger.ts';
import { WantedKeys } from '../../../domain/payload/wanted-keys.ts';
import { compileFilter } from '../compile-pattern.ts';
import type { CompiledFilter } from '../match-payload.ts';
import { parseTriggerFilter } from '../parse-filter.ts';
import { EventPatterns } from './event-patterns.ts';
import { type Evaluation, type FiledPattern, FiledPatterns, type PatternOwner } from './filed-patterns.ts';
import { listEnds, type PatternEnd } from './pattern-ends.ts';

/** An automation that a delivery starts. */
export interface Listener {
  automation: string;
  /** `AppliedAutomation.version`. */
  version: number;
  /** The paths of the payload for the concurrency keys of its runs; omitted if they have none. */
  keyPaths?: readonly (readonly string[])[] | undefined;
  /** The labels that a worker needs for its runs; omitted if it needs none. */
  runsOn?: string[] | undefined;
}

/** An automation that listens to a webhook. */
export interface FilteredListener extends Listener {
  /** A disabled automation listens, but never starts. */
  enabled: boolean;
  /** The filters of its triggers for this webhook. One matching filter is sufficient; `{}` matches everything. */
  filters: readonly DeliveryFilter[];
}

/** An apply of a factory. */
export interface LiveApply {
  /** `AppliedFactory.applyNumber`. */
  number: number;
  /** The commit that it made live. */
  revision: string | null;
}

/** The filters of a listener that can be evaluated, compiled. */
export type ListenerPatterns = readonly CompiledFilter[];

/** Compiles filters. A filter that several webhooks share is compiled once, so that they share its memory. */
export class FilterCompiler {
  readonly #compiled = new Map<string, readonly CompiledFilter[]>();

  /** A filter that cannot be evaluated never matches, so the result omits it. */
  compile(filters: readonly DeliveryFilter[]): ListenerPatterns {
    return filters.flatMap((filter) => {
      const key = JSON.stringify(filter);
      const compiled = this.#compiled.get(key);
      return compiled === undefined ? this.#add(key, filter) : compiled;
    });
  }

  #add(key: string, filter: DeliveryFilter): readonly CompiledFilter[] {
    const parsed = parseTriggerFilter(filter);
    const compiled = parsed.ok ? parsed.patterns.map(compileFilter) : [];
    this.#compiled.set(key, compiled);
    return compiled;
  }
}

/**
 * The automations that listen to one webhook. Their filters are filed by event and by value (`EventPatterns`,
 * `FiledPatterns`), so the cost of a delivery depends on the delivery, not on the number of automations.
 *
 * Automations are added and removed in place: an apply changes only those that the commit changed.
 */
export class ListenerIndex {
  /** The apply that this is the result of. */
  apply: LiveApply = { number: 0, revision: null };
  readonly #entries = new Map<string, Entry>();
  /** Automations that every delivery starts. */
  readonly #unfiltered = new Set<Entry>();
  /** The filters of provider triggers. */
  readonly #ofEvents = new EventPatterns<Listener>();
  /** All other filters. */
  readonly #others = new FiledPatterns<Listener>();
  /** What the filters read of a payload. */
  readonly wanted = new WantedKeys();
  readonly #headers = new Map<string, number>();
  /** Paths that nobody filters, but whose values are needed. */
  #alwaysRead: readonly (readonly string[])[] = [];
  #deliveries = 0;

  /** Number of automations, including disabled ones. */
  get size(): number {
    return this.#entries.size;
  }

  /** Whether any automation can start. A disabled one has no filters here. */
  get canStart(): boolean {
    if (this.#unfiltered.size > 0) return true;
    for (const { filed } of this.#entries.values()) if (filed.length > 0) return true;
    return false;
  }

  /** Whether a value of the payload is needed. */
  get needsPayload(): boolean {
    return !this.wanted.isLeaf;
  }

  /** The names of the headers that the filters read, in lowercase, with the number of their uses. */
  get wantedHeaders(): ReadonlyMap<string, number> {
    return this.#headers;
  }

  /** Replaces the paths whose values are read from every payload. */
  readAlways(paths: readonly (readonly string[])[]): void {
    if (paths === this.#alwaysRead) return;
    for (const path of this.#alwaysRead) this.wanted.remove(path, true);
    for (const path of paths) this.wanted.add(path, true);
    this.#alwaysRead = paths;
  }

  has(automation: string): boolean {
    return this.#entries.has(automation);
  }

  /**
   * Replaces an automation with the same name.
   *
   * @param patterns the filters, if they were compiled ahead
   * @param listener what `match` returns, if several indexes share it
   */
  add(
    { automation, version, keyPaths, runsOn, enabled, filters }: FilteredListener,
    patterns: ListenerPatterns = new FilterCompiler().compile(filters),
    listener: Listener = { automation, version, keyPaths, runsOn },
  ): void {
    this.remove(automation);
    const entry: Entry = { listener, filed: [], wanted: [], firedFor: 0 };
    this.#entries.set(automation, entry);
    if (!enabled) return;
    for (const path of listener.keyPaths ?? []) this.wanted.add(path, true);
    entry.wanted = listener.keyPaths ?? [];
    if (patterns.some(requiresNothing)) this.#unfiltered.add(entry);
    else for (const filter of patterns) this.#file(entry, filter);
  }

  /** Does nothing if no automation has this name. */
  remove(automation: string): void {
    const entry = this.#entries.get(automation);
    if (entry === undefined) return;
    this.#entries.delete(automation);
    this.#unfiltered.delete(entry);
    for (const path of entry.wanted) this.wanted.remove(path, true);
    for (const filed of entry.filed) this.#unfile(filed);
  }

  /** The automations that a delivery starts, by name. Only keys in `wanted` and `wantedHeaders` are read. */
  match(received: Received): Listener[] {
    const fired = Array.from(this.#unfiltered, ({ listener }) => listener);
    if (!this.#ofEvents.isEmpty || this.#others.size > 0) {
      this.#deliveries += 1;
      const evaluation: Evaluation<Listener> = { received, number: this.#deliveries, fired };
      this.#ofEvents.evaluate(evaluation);
      this.#others.evaluate(evaluation);
    }
    return fired.length > 1 ? fired.sort(byName) : fired;
  }

  #file(entry: Entry, filter: CompiledFilter): void {
    for (const end of listEnds(filter)) this.#want(end);
    for (const path of listValuePaths(filter)) this.wanted.add(path, true);
    const patterns = filter.event === null ? this.#others : this.#ofEvents.of(filter.event);
    entry.filed.push({ pattern: patterns.file(entry, filter), patterns });
  }

  #unfile({ pattern, patterns }: Entry['filed'][number]): void {
    const { filter } = pattern;
    for (const end of listEnds(filter)) this.#unwant(end);
    for (const path of listValuePaths(filter)) this.wanted.remove(path, true);
    patterns.unfile(pattern);
    if (filter.event !== null) this.#ofEvents.dropEmpty(filter.event);
  }

  #want({ path, condition }: PatternEnd): void {
    const name = path[1]!;
    if (path[0] === 'payload') this.wanted.add(path, condition.kind === 'leaf', 1);
    else this.#headers.set(name, (this.#headers.get(name) ?? 0) + 1);
  }

  #unwant({ path, condition }: PatternEnd): void {
    const name = path[1]!;
    const uses = this.#headers.get(name) ?? 0;
    if (path[0] === 'payload') this.wanted.remove(path, condition.kind === 'leaf', 1);
    else if (uses > 1) this.#headers.set(name, uses - 1);
    else this.#headers.delete(name);
  }
}

interface Entry extends PatternOwner<Listener> {
  filed: { pattern: FiledPattern<Listener>; patterns: FiledPatterns<Listener> }[];
  /** The paths that are wanted for its keys. */
  wanted: readonly (readonly string[])[];
}

function requiresNothing({ parts, values }: CompiledFilter): boolean {
  return parts.length === 0 && values.length === 0;
}

/** The paths of the payload that its conditions on values read. */
function listValuePaths({ values }: CompiledFilter): (readonly string[])[] {
  return values.flatMap(({ paths }) => paths);
}

function byName(a: Listener, b: Listener): number {
  return a.automation < b.automation ? -1 : 1;
}

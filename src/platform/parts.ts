// The room of what the system provides, and of the life of a daemon. It knows no webhook and no run.
// In: the parts of a daemon (`domain/part.ts`), added by `app/start-daemon.ts`. Out: calls of their methods, in order, and
// happenings passed to the parts of this daemon and to others.
// Next: `loop.ts` for everything that takes turns, `threads/port-link.ts` for calls between threads, `secrets/vault.ts` for
// what is sealed, `files/write-durably.ts` for what must survive a loss of power, `data-dir/data-paths.ts` for the data
// directory.

import { orderConditions, type PartCondition } from '../domain/conditions.ts';
import { AUDIENCE, type Happening, type Happenings, type Publish } from '../domain/happenings.ts';
import type { Part, Stopping } from '../domain/part.ts';
import type { Logger } from '../domain/ports/logger.ts';

/** How happenings reach other daemons, and whether this one leads. */
export interface Elsewhere {
  /** Does this daemon lead? */
  readonly group: { readonly isLeader: boolean };
  /** Reports a happening to other daemons, if there are any. Returns immediately. */
  publish: Publish;
}

/** A daemon that shares its storage with no other. */
const NOBODY_ELSE: Elsewhere = { group: { isLeader: true }, publish: () => {} };

const AT_LEISURE: Stopping = { hurry: new AbortController().signal };

/**
 * The parts of a daemon. They start in the order in which they were added, and stop in the reverse order.
 *
 * ```
 * added ── start ──▶ starting ──▶ started ── stop ──▶ stopping ──▶ stopped
 *   └────────────────── stop ────────┴──────────────────▲
 * started:  following ── lead ──▶ leading ── endLead, stop ──▶ following
 * ```
 */
export class Parts<Change> {
  readonly #logger: Logger;
  readonly #parts: Part<Change>[] = [];
  readonly #handlers = new Map<Happening, ((what: never) => void)[]>();
  #elsewhere = NOBODY_ELSE;
  #starting: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;
  /** Empty while this daemon follows. A stop ends the term of each part with that part. */
  readonly #terms = new Map<Part<Change>, AbortController>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(...parts: readonly Part<Change>[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      for (const [kind, handle] of Object.entries(part.on ?? {}) as [Happening, (what: never) => void][])
        this.#handlers.set(kind, [...(this.#handlers.get(kind) ?? []), handle]);
    }
  }

  /** From now on, other daemons get happenings, too. */
  join(elsewhere: Elsewhere): void {
    this.#elsewhere = elsewhere;
  }

  /** Starts each part when those before have started. Rejects with the first failure; the others are not started then. */
  start(): Promise<void> {
    this.#starting ??= this.#startAll();
    return this.#starting;
  }

  /** This daemon leads from now on. Does nothing if it leads already, or stops. */
  lead(): void {
    if (this.#terms.size > 0 || this.#stopping !== null) return;
    for (const part of this.#parts) this.#terms.set(part, new AbortController());
    for (const [part, term] of this.#terms) void this.#leadOne(part, term.signal);
  }

  /** This daemon leads no longer. */
  endLead(): void {
    const terms = [...this.#terms.values()];
    this.#terms.clear();
    for (const term of terms) term.abort();
  }

  /**
   * Passes a change of the configuration to all parts: none waits for a part that takes long. Rejects with the first failure,
   * after all have applied it.
   */
  async reload(change: Change): Promise<void> {
    const outcomes = await Promise.allSettled(this.#parts.map(async (part) => part.reload?.(change)));
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  /** The conditions of all parts, as `Part.conditions`. */
  conditions(factory: string | null): PartCondition[] {
    return orderConditions(this.#parts.flatMap((part) => part.conditions?.(factory) ?? []));
  }

  /** Stops each part once. Rejects with the first failure, after all are stopped. Later calls share the first one. */
  stop(how: Stopping = AT_LEISURE): Promise<void> {
    this.#stopping ??= this.#stopAll(how);
    return this.#stopping;
  }

  readonly publish: Publish = (kind, what) => {
    const audience = AUDIENCE[kind];
    const { isLeader } = this.#elsewhere.group;
    const isHere = audience !== 'others' && (audience !== 'leader' || isLeader);
    if (isHere) this.#handle(kind, what);
    const isElsewhere = audience === 'all' || audience === 'others' || (audience !== 'here' && !isLeader);
    if (isElsewhere) this.#elsewhere.publish(kind, what);
  };

  /** A happening of another daemon. */
  readonly receive: Publish = (kind, what) => {
    const isForLeader = AUDIENCE[kind] === 'leader' || AUDIENCE[kind] === 'here and leader';
    if (!isForLeader || this.#elsewhere.group.isLeader) this.#handle(kind, what);
  };

  #handle<Kind extends Happening>(kind: Kind, what: Happenings[Kind]): void {
    for (const handle of this.#handlers.get(kind) ?? []) {
      try {
        handle(what as never);
      } catch (error) {
        this.#logger.error({ err: error, happening: kind }, 'a part failed to follow what happened');
      }
    }
  }

  async #startAll(): Promise<void> {
    for (const part of this.#parts) {
      if (this.#stopping !== null) return;
      await part.start?.();
    }
  }

  async #leadOne(part: Part<Change>, term: AbortSignal): Promise<void> {
    try {
      await part.lead?.(term);
    } catch (error) {
      this.#logger.error({ err: error, part: part.name }, 'a part failed to take the lead');
    }
  }

  async #stopAll(how: Stopping): Promise<void> {
    await this.#starting?.catch(() => {});
    await onEach(this.#parts.toReversed(), (part) => this.#stopOne(part, how));
  }

  async #stopOne(part: Part<Change>, how: Stopping): Promise<void> {
    const stopped = (async () => part.stop?.(how))();
    this.#terms.get(part)?.abort();
    await stopped;
  }
}

/** One after another, also if one fails. Then throws the first failure. */
async function onEach<Item>(items: readonly Item[], act: (item: Item) => unknown): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      await act(item);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

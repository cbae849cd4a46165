/** Label value of everything that has no series under its own name. No webhook or automation can have this name. */
export const OTHER = '_other';

/** Maximum number of webhooks of a daemon that have series under their own names. */
export const MAX_NAMED_WEBHOOKS = 1_000;

/** Maximum number of automations of a daemon that have series under their own names. */
export const MAX_NAMED_AUTOMATIONS = 500;

/**
 * Decides which objects have series under their own names, so that a large factory cannot make a scrape slow. An object that
 * got a name keeps it until it is released, because a counter that changes its label looks like a reset.
 */
export class NamedSeries {
  readonly #limit: number;
  readonly #names = new Map<string, Set<string>>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The label of an object: its name, or `OTHER` if all places are taken. */
  labelOf(factory: string, name: string): string {
    const names = this.#names.get(factory);
    if (names?.has(name)) return name;
    if (this.#taken >= this.#limit) return OTHER;
    if (names === undefined) this.#names.set(factory, new Set([name]));
    else names.add(name);
    this.#taken += 1;
    return name;
  }

  has(factory: string, name: string): boolean {
    return this.#names.get(factory)?.has(name) ?? false;
  }

  /** The object was deleted or renamed, and its series were removed. */
  release(factory: string, name: string): void {
    if (this.#names.get(factory)?.delete(name)) this.#taken -= 1;
  }

  releaseFactory(factory: string): void {
    this.#taken -= this.#names.get(factory)?.size ?? 0;
    this.#names.delete(factory);
  }

  /** Releases each object that `isKept` does not keep, and returns them. */
  releaseExcept(isKept: (factory: string, name: string) => boolean): { factory: string; name: string }[] {
    const released = [...this.#names].flatMap(([factory, names]) =>
      [...names].filter((name) => !isKept(factory, name)).map((name) => ({ factory, name })),
    );
    for (const { factory, name } of released) this.release(factory, name);
    return released;
  }
}

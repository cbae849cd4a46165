/** Stops what was started, the latest first, each once. */
export class Lifetime {
  readonly #endings: (() => unknown)[] = [];

  /** @param ending run at the end; may be asynchronous */
  defer(ending: () => unknown): void {
    this.#endings.push(ending);
  }

  /** Runs every ending, also where one fails; then throws the first failure. */
  async end(): Promise<void> {
    const failures: unknown[] = [];
    for (let ending = this.#endings.pop(); ending; ending = this.#endings.pop()) {
      try {
        await ending();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

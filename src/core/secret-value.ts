const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * A secret in memory. Whatever prints, logs or serialises it shows `[redacted]`; only `reveal` gives the value, so
 * that a search for `reveal(` finds every place where one leaves its wrapping.
 */
export class SecretValue {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [INSPECT](): string {
    return '[redacted]';
  }
}

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * A secret in memory. Printing, logging and serialization show `[redacted]`. Only `reveal` returns the value, so that a
 * search for `reveal(` finds every use.
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

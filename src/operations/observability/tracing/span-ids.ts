import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/** Random IDs, except for a span whose ID is known before it is created. */
export class SpanIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #next: string | null = null;

  generateTraceId(): string {
    return this.#random.generateTraceId();
  }

  generateSpanId(): string {
    const spanId = this.#next ?? this.#random.generateSpanId();
    this.#next = null;
    return spanId;
  }

  /** The span that `create` creates gets this ID. */
  use<Span>(spanId: string, create: () => Span): Span {
    this.#next = spanId;
    try {
      return create();
    } finally {
      this.#next = null;
    }
  }
}

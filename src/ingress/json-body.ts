import { isUtf8 } from 'node:buffer';

/** A parsed body, or the reason why it cannot be parsed. */
export type ParsedBody = { ok: true; value: unknown } | { ok: false; reason: string; detail: string };

/** The bytes of a body, which are parsed at most once. */
export class JsonBody {
  readonly bytes: Buffer<ArrayBuffer>;
  #parsed: ParsedBody | null = null;

  constructor(bytes: Buffer<ArrayBuffer>) {
    this.bytes = bytes;
  }

  /** Parses JSON (RFC 8259) in valid UTF-8. */
  parse(): ParsedBody {
    this.#parsed ??= parse(this.bytes);
    return this.#parsed;
  }

  /** `undefined` if the body is not JSON. */
  value(): unknown {
    const parsed = this.parse();
    return parsed.ok ? parsed.value : undefined;
  }
}

function parse(body: Buffer): ParsedBody {
  if (body.length === 0) return { ok: false, reason: 'empty_body', detail: 'the body is empty' };
  if (!isUtf8(body)) return { ok: false, reason: 'invalid_utf8', detail: 'the body is not valid UTF-8' };
  try {
    return { ok: true, value: JSON.parse(body.toString('utf8')) };
  } catch {
    return { ok: false, reason: 'invalid_json', detail: 'the body is not valid JSON' };
  }
}

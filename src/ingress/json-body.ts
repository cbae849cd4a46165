import { isUtf8 } from 'node:buffer';

/** A parsed body, or why it is none. */
export type ParsedBody = { ok: true; value: unknown } | { ok: false; reason: string; detail: string };

/** A body that is parsed at most once, whoever asks first: a signature scheme that reads in it, or the filters. */
export class JsonBody {
  readonly body: Buffer<ArrayBuffer>;
  #parsed: ParsedBody | null = null;

  constructor(body: Buffer<ArrayBuffer>) {
    this.body = body;
  }

  /** RFC 8259 in valid UTF-8. */
  parse(): ParsedBody {
    this.#parsed ??= parse(this.body);
    return this.#parsed;
  }

  /** `undefined` where the body is not JSON. */
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

import { type CompiledPattern, compilePattern } from '../../src/definitions/filter/compile-pattern.ts';
import type { Explanation, TraceEntry } from '../../src/definitions/filter/explain.ts';
import type { Pattern } from '../../src/definitions/filter/pattern.ts';
import type { DeliveryFilter, Received } from '../../src/domain/definitions/trigger.ts';
import type { JsonObject } from '../../src/domain/json.ts';

/** A delivery without headers that matter. */
export function received(payload: unknown): Received {
  return { headers: {}, payload };
}

/** A filter that tests only the payload. */
export function onPayload(payload: JsonObject): DeliveryFilter {
  return { payload };
}

/** A compiled filter that tests only payloads. */
type CompiledPayloadFilter = {
  [Method in keyof CompiledPattern]: (payload: unknown) => ReturnType<CompiledPattern[Method]>;
};

export function compilePayload({ fields }: Pattern): CompiledPayloadFilter {
  const { matches, findDecidingEntry, explain } = compilePattern({
    event: null,
    values: [],
    headers: [],
    payload: fields,
  });
  return {
    matches: (payload): boolean => matches(received(payload)),
    findDecidingEntry: (payload): TraceEntry | null => findDecidingEntry(received(payload)),
    explain: (payload): Explanation => explain(received(payload)),
  };
}

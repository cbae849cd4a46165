import { deserialize, serialize } from 'node:v8';

/** A value as bytes, which pass through a thread without a copy and without being read there. */
export interface Packed<_Value> {
  packed: Uint8Array<ArrayBuffer>;
}

export function pack<Value>(value: Value): Packed<Value> {
  return { packed: new Uint8Array(serialize(value)) };
}

export function unpack<Value>({ packed }: Packed<Value>): Value {
  return deserialize(packed) as Value;
}

export function isPacked(value: unknown): value is Packed<unknown> {
  return typeof value === 'object' && value !== null && 'packed' in value && value.packed instanceof Uint8Array;
}

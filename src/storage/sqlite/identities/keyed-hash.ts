/** A hash of 64 bits, as two unsigned integers. */
export interface Hash64 {
  low: number;
  high: number;
}

/** Hashes a number and a text. Returns the same object in each call, so that hashing allocates no memory. */
type KeyedHash = (prefix: number, text: string) => Readonly<Hash64>;

/**
 * Creates HalfSipHash-2-4 with a result of 64 bits (https://github.com/veorq/SipHash). The input is the prefix (32 bits)
 * and the UTF-16 units of the text. Without the key, nobody can choose texts with the same hash. For a short key of an
 * identity, it takes a fifth of the time of SHA-256.
 *
 * @param key 64 random bits, as two integers
 */
export function createKeyedHash(key: Readonly<Hash64>): KeyedHash {
  const state = new Int32Array(4);
  const result: Hash64 = { low: 0, high: 0 };
  return (prefix, text) => {
    state[0] = key.low;
    state[1] = key.high ^ 0xee;
    state[2] = 0x6c796765 ^ key.low;
    state[3] = 0x74656462 ^ key.high;
    absorb(state, prefix);
    const pairs = text.length & ~1;
    for (let at = 0; at < pairs; at += 2) absorb(state, text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
    // The last block has the last unit, if one remains, and the number of bytes.
    const last = pairs === text.length ? 0 : text.charCodeAt(pairs);
    absorb(state, last | ((4 + 2 * text.length) << 24));
    state[2]! ^= 0xee;
    result.low = squeeze(state);
    state[1]! ^= 0xdd;
    result.high = squeeze(state);
    return result;
  };
}

function absorb(state: Int32Array, block: number): void {
  state[3]! ^= block;
  mix(state, 2);
  state[0]! ^= block;
}

function squeeze(state: Int32Array): number {
  mix(state, 4);
  return (state[1]! ^ state[3]!) >>> 0;
}

/** The rounds of HalfSipHash. */
function mix(state: Int32Array, rounds: number): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  for (let round = 0; round < rounds; round++) {
    a = (a + b) | 0;
    b = ((b << 5) | (b >>> 27)) ^ a;
    a = (a << 16) | (a >>> 16);
    c = (c + d) | 0;
    d = ((d << 8) | (d >>> 24)) ^ c;
    a = (a + d) | 0;
    d = ((d << 7) | (d >>> 25)) ^ a;
    c = (c + b) | 0;
    b = ((b << 13) | (b >>> 19)) ^ c;
    c = (c << 16) | (c >>> 16);
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = d;
}

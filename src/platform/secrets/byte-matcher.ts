/**
 * A set of byte patterns compiled into one automaton (Aho-Corasick). It reads each byte once, regardless of the number and
 * overlap of the patterns. Its state contains the number of last bytes that may still become a match: exactly the bytes
 * that a streaming masker has to hold back.
 */
export interface ByteMatcher {
  /** The state after `byte`; 0 is the start. */
  next(state: number, byte: number): number;
  /** Number of last bytes that are the beginning of a pattern: earlier bytes cannot be part of a later match. */
  pendingBytes(state: number): number;
  /** Length of the longest pattern that ends here; 0 for none. */
  matchedBytes(state: number): number;
  /**
   * The index from which `next` has to read these bytes, from state 0, to find every match and the last state: 0 if they may
   * contain a pattern, otherwise near their end. The native search is many times faster than `next`.
   */
  firstRelevant(bytes: Buffer): number;
}

/** The native search reads the bytes once for each pattern. With more patterns, it is slower than `next`. */
const MAX_SEARCHED_PATTERNS = 16;

const NONE = -1;

/**
 * One entry per state. Nearly every state has one child, which is in the arrays; only further children need a map. A value
 * of 64 KiB then needs a few megabytes instead of a map per byte.
 */
interface Automaton {
  parent: number[];
  byteFromParent: number[];
  depth: number[];
  firstChild: number[];
  /** Children after the first, by `state * 256 + byte`. */
  otherChildren: Map<number, number>;
  /** The state of the longest proper suffix that also begins a pattern. */
  fallback: number[];
  matched: number[];
}

/** Compiles patterns; empty ones are ignored. Memory grows with the sum of their lengths. */
export function compileByteMatcher(patterns: readonly Buffer[]): ByteMatcher {
  const automaton: Automaton = {
    parent: [0],
    byteFromParent: [NONE],
    depth: [0],
    firstChild: [NONE],
    otherChildren: new Map(),
    fallback: [0],
    matched: [0],
  };
  for (const pattern of patterns) addPattern(automaton, pattern);
  linkFallbacks(automaton);
  return { ...freezeMatcher(automaton), firstRelevant: createSearch(patterns.filter(({ length }) => length > 0)) };
}

/** Without a match in the bytes, only the beginning of a pattern at their end matters. */
function createSearch(patterns: readonly Buffer[]): ByteMatcher['firstRelevant'] {
  const longest = Math.max(0, ...patterns.map(({ length }) => length));
  return (bytes) => {
    if (patterns.length > MAX_SEARCHED_PATTERNS || patterns.some((pattern) => bytes.includes(pattern))) return 0;
    return Math.max(0, bytes.length - longest + 1);
  };
}

/** The finished automaton in flat tables: it reads captured output byte by byte, on the main thread of the daemon. */
function freezeMatcher(automaton: Automaton): Omit<ByteMatcher, 'firstRelevant'> {
  const { otherChildren } = automaton;
  const firstChild = Int32Array.from(automaton.firstChild);
  const byteFromParent = Int16Array.from(automaton.byteFromParent);
  const fallback = Int32Array.from(automaton.fallback);
  const depth = Int32Array.from(automaton.depth);
  const matched = Int32Array.from(automaton.matched);
  const fromStart = Int32Array.from({ length: 256 }, (_, byte) => nextState(automaton, 0, byte));
  const isBranching = Uint8Array.from(depth, () => 0);
  for (const key of otherChildren.keys()) isBranching[Math.floor(key / 256)] = 1;
  return {
    next: (state, byte) => {
      for (let from = state; from !== 0; from = fallback[from]!) {
        const child = firstChild[from]!;
        if (child !== NONE && byteFromParent[child] === byte) return child;
        const other = isBranching[from] === 1 ? otherChildren.get(from * 256 + byte) : undefined;
        if (other !== undefined) return other;
      }
      return fromStart[byte]!;
    },
    pendingBytes: (state) => depth[state]!,
    matchedBytes: (state) => matched[state]!,
  };
}

function nextState(automaton: Automaton, state: number, byte: number): number {
  for (let from = state; ; from = automaton.fallback[from]!) {
    const to = findChild(automaton, from, byte);
    if (to !== NONE) return to;
    if (from === 0) return 0;
  }
}

function findChild({ firstChild, byteFromParent, otherChildren }: Automaton, state: number, byte: number): number {
  const first = firstChild[state]!;
  if (first === NONE || byteFromParent[first] === byte) return first;
  return otherChildren.get(state * 256 + byte) ?? NONE;
}

function addPattern(automaton: Automaton, pattern: Uint8Array): void {
  let state = 0;
  for (const byte of pattern) {
    const known = findChild(automaton, state, byte);
    state = known === NONE ? addChild(automaton, state, byte) : known;
  }
  automaton.matched[state] = automaton.depth[state]!;
}

function addChild(automaton: Automaton, parent: number, byte: number): number {
  const child = automaton.parent.length;
  if (automaton.firstChild[parent] === NONE) automaton.firstChild[parent] = child;
  else automaton.otherChildren.set(parent * 256 + byte, child);
  automaton.parent.push(parent);
  automaton.byteFromParent.push(byte);
  automaton.depth.push(automaton.depth[parent]! + 1);
  automaton.firstChild.push(NONE);
  automaton.fallback.push(0);
  automaton.matched.push(0);
  return child;
}

/** Links shallow states first, because deeper ones need their fallbacks. */
function linkFallbacks(automaton: Automaton): void {
  const { parent, byteFromParent, depth, fallback, matched } = automaton;
  const byDepth = Array.from(parent.keys()).sort((a, b) => depth[a]! - depth[b]!);
  for (const state of byDepth) {
    if (depth[state]! > 1) fallback[state] = nextState(automaton, fallback[parent[state]!]!, byteFromParent[state]!);
    if (matched[state] === 0) matched[state] = matched[fallback[state]!]!;
  }
}

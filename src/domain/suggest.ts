const MAX_COMPARED_LENGTH = 120;

/**
 * The candidate that was probably meant by `written`, or `null`. Ignores case, `_` and `-`. A few letters may differ,
 * or `written` may be a prefix of exactly one candidate.
 */
export function suggest(written: string, candidates: Iterable<string>): string | null {
  const wanted = normalise(written);
  if (wanted === '' || wanted.length > MAX_COMPARED_LENGTH) return null;
  const ranked = [...candidates]
    .map((candidate) => ({ candidate, distance: measureDistance(wanted, normalise(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best !== undefined && best.distance <= allowedDistance(wanted)) return best.candidate;
  const begun = ranked.filter(({ candidate }) => wanted.length >= 4 && normalise(candidate).startsWith(wanted));
  return begun.length === 1 ? begun[0]!.candidate : null;
}

function normalise(text: string): string {
  return text.toLowerCase().replace(/[_-]/g, '');
}

function allowedDistance(wanted: string): number {
  return wanted.length <= 3 ? 1 : wanted.length <= 6 ? 2 : 3;
}

/** Does `written` differ from a candidate only in case, by one letter, or by two swapped letters? */
export function findNearMiss(written: string, candidates: Iterable<string>): string | null {
  const wanted = written.toLowerCase();
  return [...candidates].find((candidate) => measureDistance(wanted, candidate.toLowerCase()) <= 1) ?? null;
}

/**
 * Number of edits (insert, delete, replace, swap neighbors) between two texts; `Infinity` if the lengths differ too
 * much.
 */
function measureDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

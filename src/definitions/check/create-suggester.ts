import { suggest } from '../../domain/suggest.ts';

/** Number of different names that get a suggestion. */
const MAX_NAMES = 100;

/**
 * Like `suggest`, for many names. Each suggestion compares all candidates: without a limit, 4,000 files with 100 unknown
 * names each would take minutes.
 */
export function createSuggester(candidates: ReadonlySet<string>): (name: string) => string | null {
  const known = new Map<string, string | null>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= MAX_NAMES) return null;
    const meant = suggest(name, candidates);
    known.set(name, meant);
    return meant;
  };
}

import { suggest } from '../../core/suggest.ts';

/**
 * Like `suggest`, for many names. Each suggestion compares all candidates: without a limit, 4,000 files with 100 unknown
 * names each would take minutes. Names beyond `maxNames` get no suggestion.
 */
export function createSuggester(candidates: ReadonlySet<string>, maxNames: number): (name: string) => string | null {
  const known = new Map<string, string | null>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= maxNames) return null;
    const meant = suggest(name, candidates);
    known.set(name, meant);
    return meant;
  };
}

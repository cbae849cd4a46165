import { createStep, type ObjectRef, type StoryStep } from './story.ts';
import { factoryOption, type StoryRequest } from './story-parts.ts';

/** Entries of one list that a story of everything reads. */
export const MAX_ENTRIES = 1_000;

/** Number of entries to read: one more than are shown, to know whether there are others. */
export function limitRead({ all }: Pick<StoryRequest, 'all'>, max: number): number {
  return (all ? MAX_ENTRIES : max) + 1;
}

/** The entries that a story shows, in the order of `ranked`, and the number of the others. */
export function cutList<Entry>(
  { all }: Pick<StoryRequest, 'all'>,
  ranked: readonly Entry[],
  max: number,
): { shown: Entry[]; omitted: number } {
  const shown = ranked.slice(0, all ? MAX_ENTRIES : max);
  return { shown, omitted: ranked.length - shown.length };
}

/** A step for entries that are not shown one by one, which a story of everything does. */
export function createSummary(
  request: Pick<StoryRequest, 'all' | 'namesFactory'>,
  subject: ObjectRef,
  parts: Pick<StoryStep, 'at' | 'text'> & Partial<StoryStep>,
): StoryStep {
  return createStep({ command: whyAll(request, subject), ...parts, expandable: !request.all });
}

function whyAll(request: Pick<StoryRequest, 'all' | 'namesFactory'>, { kind, id, factory }: ObjectRef): string | null {
  if (request.all) return null;
  const named = NAMED_KINDS.includes(kind);
  const option = named && factory !== null ? factoryOption(request, factory) : '';
  return `dockbell why ${named ? `${kind}:${id}` : id}${option} --all`;
}

/** The other kinds have an ID. */
const NAMED_KINDS: readonly ObjectRef['kind'][] = ['automation', 'commit', 'secret'];

import type { ReplayPreview } from './api-types.ts';
import type { ApiClient } from './create-api-client.ts';
import type { paths } from './openapi.d.ts';
import { readAnswer } from './read-answer.ts';

type PreviewQuery = NonNullable<paths['/api/v1/factories/{factory}/replays/preview']['get']['parameters']['query']>;

/** What a replay replays, and with which definition. */
export type ReplaySelection = Omit<PreviewQuery, 'cursor'>;

/** A whole dry run, or its first parts. */
export type WholePreview = Omit<ReplayPreview, 'next_cursor'> & {
  /** Were all deliveries examined? */
  complete: boolean;
};

/** A dry run of more deliveries takes longer than people wait for it. */
const MAX_PARTS = 50;
const MAX_EXAMPLES = 3;

/** What a replay would start: reads the parts of the dry run and adds them. */
export async function previewReplay(
  api: ApiClient,
  factory: string,
  selection: ReplaySelection,
  maxParts = MAX_PARTS,
): Promise<WholePreview> {
  let sum: ReplayPreview | null = null;
  for (let part = 0; part < maxParts && sum?.next_cursor !== null; part += 1) {
    const cursor: string | undefined = sum?.next_cursor ?? undefined;
    const query: PreviewQuery = cursor === undefined ? selection : Object.assign({ cursor }, selection);
    const path = '/api/v1/factories/{factory}/replays/preview';
    const answer: ReplayPreview = await readAnswer(api.GET(path, { params: { path: { factory }, query } }));
    sum = sum === null ? answer : addPart(sum, answer);
  }
  const { next_cursor, ...whole } = sum!;
  return { ...whole, complete: next_cursor === null };
}

function addPart(sum: ReplayPreview, part: ReplayPreview): ReplayPreview {
  return {
    total: sum.total,
    examined: sum.examined + part.examined,
    replayed: sum.replayed + part.replayed,
    matched: sum.matched + part.matched,
    runs: sum.runs + part.runs,
    skipped: addSkips([...sum.skipped, ...part.skipped]),
    automations: addAutomations([...sum.automations, ...part.automations]),
    next_cursor: part.next_cursor,
  };
}

function addSkips(all: ReplayPreview['skipped']): ReplayPreview['skipped'] {
  const sums = new Map<string, ReplayPreview['skipped'][number]>();
  for (const skip of all) sums.set(skip.reason, { ...skip, count: (sums.get(skip.reason)?.count ?? 0) + skip.count });
  return [...sums.values()];
}

function addAutomations(all: ReplayPreview['automations']): ReplayPreview['automations'] {
  const sums = new Map<string, ReplayPreview['automations'][number]>();
  for (const { automation, runs, examples } of all) {
    const known = sums.get(automation);
    sums.set(automation, {
      automation,
      runs: (known?.runs ?? 0) + runs,
      examples: [...(known?.examples ?? []), ...examples].slice(0, MAX_EXAMPLES),
    });
  }
  return [...sums.values()].sort((a, b) => (a.automation < b.automation ? -1 : 1));
}

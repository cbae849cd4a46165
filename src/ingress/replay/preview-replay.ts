import { AppError } from '../../domain/errors.ts';
import type {
  PreviewedAutomation,
  ReplayPreview,
  ReplaySelection,
  ReplaySpan,
  Replays,
  StoredDelivery,
} from '../../domain/ports/replays.ts';
import { addSkips } from '../../domain/resources/replay.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { Registry } from '../registry/registry.ts';
import { evaluateReplay } from './evaluate-replay.ts';
import { toSearch } from './replay-search.ts';

/** What one part of a dry run examines at most. */
const MAX_EXAMINED = 2_000;
const MAX_MS = 2_000;
/** Small, as the steps of a replay are. */
const SLICE = { examined: 200, returned: 50, bytes: 256 * 1024 };
/** Number of rows of one count, which takes the storage about a millisecond. */
const COUNTED_A_TIME = 2_000;

const MAX_EXAMPLES = 3;

interface PreviewParts {
  replays: Pick<Replays, 'span' | 'count' | 'read'>;
  registry: Pick<Registry, 'findSource'>;
  clock: Clock;
}

/** The deliveries of a replay and their number, as the first part of a dry run or the creation finds them. */
interface ReplayRange {
  after: number;
  last: number;
  total: number;
}

/** Finds the accepted deliveries within webhook and times, and counts them in small parts. */
export async function measureReplay(
  replays: Pick<Replays, 'span' | 'count'>,
  selection: ReplaySelection,
): Promise<ReplayRange> {
  const search = toSearch(selection);
  const { after, last } = await replays.span(search);
  let total = 0;
  let part = { count: 0, position: after, isEnd: after >= last };
  while (!part.isEnd) {
    part = await replays.count({ search, after: part.position, last }, COUNTED_A_TIME);
    total += part.count;
  }
  return { after, last, total };
}

/** What a replay would do with the next deliveries. Evaluates as the replay does, and stores nothing. */
export async function previewReplay(
  { replays, registry, clock }: PreviewParts,
  selection: ReplaySelection,
  cursor: string | null,
): Promise<ReplayPreview> {
  const range = cursor === null ? await measureReplay(replays, selection) : parseCursor(cursor);
  const deadline = clock.monotonicMs() + MAX_MS;
  const span: ReplaySpan = { search: toSearch(selection), after: range.after, last: range.last };
  const preview = beginPreview(range.total);
  let isEnd = span.after >= span.last;
  while (!isEnd && preview.examined < MAX_EXAMINED && clock.monotonicMs() < deadline) {
    const slice = await replays.read(span, SLICE);
    for (const stored of slice.deliveries) {
      await new Promise(setImmediate);
      addDelivery(preview, { registry, selection, nowMs: clock.wallMs() }, stored);
    }
    preview.examined += slice.examined;
    span.after = slice.position;
    isEnd = slice.isEnd;
  }
  const { automations, ...counts } = preview;
  return {
    ...counts,
    automations: [...automations.values()].sort((a, b) => (a.automation < b.automation ? -1 : 1)),
    nextCursor: isEnd ? null : formatCursor({ ...range, after: span.after }),
  };
}

type OpenPreview = Omit<ReplayPreview, 'automations' | 'nextCursor'> & {
  automations: Map<string, PreviewedAutomation>;
};

function beginPreview(total: number): OpenPreview {
  return { total, examined: 0, replayed: 0, matched: 0, runs: 0, skipped: {}, automations: new Map() };
}

function addDelivery(
  preview: OpenPreview,
  parts: { registry: Pick<Registry, 'findSource'>; selection: ReplaySelection; nowMs: number },
  stored: StoredDelivery,
): void {
  const { registry, selection, nowMs } = parts;
  const evaluated = evaluateReplay({ registry, ids: { runId: () => 'run_' }, nowMs }, selection, stored);
  if (evaluated.skip !== null) {
    preview.skipped = addSkips(preview.skipped, { [evaluated.skip]: 1 });
    return;
  }
  const { runs } = evaluated.match;
  preview.replayed += 1;
  preview.matched += runs.length > 0 ? 1 : 0;
  preview.runs += runs.length;
  for (const { automation } of runs) addRun(preview.automations, automation, stored);
}

function addRun(automations: OpenPreview['automations'], automation: string, stored: StoredDelivery): void {
  const { id, identity, receivedAt } = stored;
  const counted = automations.get(automation) ?? { automation, runs: 0, examples: [] };
  counted.runs += 1;
  if (counted.examples.length < MAX_EXAMPLES) {
    counted.examples.push({ delivery: id, deliveryId: identity.value, receivedAt });
  }
  automations.set(automation, counted);
}

function formatCursor({ after, last, total }: ReplayRange): string {
  return Buffer.from(`p${after}.${last}.${total}`).toString('base64url');
}

/** Throws `bad_request` for a text that `formatCursor` did not return. */
function parseCursor(cursor: string): ReplayRange {
  const match = /^p(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (match === null) throw new AppError('bad_request', 'invalid cursor: use the next_cursor of an earlier part');
  const [after, last, total] = match.slice(1).map(Number) as [number, number, number];
  return { after, last, total };
}

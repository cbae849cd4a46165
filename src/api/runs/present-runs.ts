import type { RunId } from '../../core/ids.ts';
import type { RunControl, WaitReason } from '../../core/ports/runs/run-control.ts';
import type { RunReader } from '../../core/ports/runs/run-queue.ts';
import { presentFields } from '../../core/resources/fields.ts';
import { RUN_FIELDS, type Run, type RunView } from '../../core/resources/run.ts';

/** Why a queued run has not started, and its position in the queue of its factory. */
interface WaitView {
  reason: WaitReason['reason'];
  reason_text: string;
  /** 1 for the next run; `null` if it is not known. */
  position: number | null;
}

export type ExplainedRunView = RunView & { waiting: WaitView | null };

export interface RunViewParts {
  runs: Pick<RunReader, 'queuePositions'>;
  runControl: Pick<RunControl, 'explainWait'>;
}

/** Runs of one factory as the management API shows them. One more query if any of them is queued. */
export async function presentRuns(runs: readonly Run[], parts: RunViewParts): Promise<ExplainedRunView[]> {
  const queued = runs.filter(({ state }) => state === 'queued');
  const positions = await findPositions(queued, parts);
  return runs.map((run) => presentWithWait(run, parts, positions.get(run.id) ?? null));
}

export async function presentOneRun(run: Run, parts: RunViewParts): Promise<ExplainedRunView> {
  const [view] = await presentRuns([run], parts);
  return view!;
}

/** A run without a look at the queue: the position of a queued one is not known. */
export function presentRunInPassing(run: Run, { runControl }: Pick<RunViewParts, 'runControl'>): ExplainedRunView {
  return presentWithWait(run, { runControl }, null);
}

async function findPositions(queued: readonly Run[], { runs }: RunViewParts): Promise<ReadonlyMap<RunId, number>> {
  const [first] = queued;
  if (first === undefined) return new Map();
  return runs.queuePositions({ factory: first.factory, runs: queued.map(({ id }) => id) });
}

function presentWithWait(
  run: Run,
  { runControl }: Pick<RunViewParts, 'runControl'>,
  position: number | null,
): ExplainedRunView {
  if (run.state !== 'queued') return { ...presentFields(RUN_FIELDS, run), waiting: null };
  const { reason, text } = runControl.explainWait(run.factory);
  return { ...presentFields(RUN_FIELDS, run), waiting: { reason, reason_text: text, position } };
}

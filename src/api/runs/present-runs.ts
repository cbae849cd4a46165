import type { RunId } from '../../core/ids.ts';
import type { WaitReason } from '../../core/ports/runs/run-control.ts';
import { presentRun, type RunView } from '../../core/present-run.ts';
import type { Run } from '../../core/run.ts';
import type { AdminServices } from '../services.ts';

/** Why a queued run has not started, and how many runs of its factory start before it. */
interface WaitView {
  reason: WaitReason['reason'];
  reason_text: string;
  /** 1 for the next run; `null` if it is not known. */
  position: number | null;
}

export type ExplainedRunView = RunView & { waiting: WaitView | null };

type RunServices = Pick<AdminServices, 'runs' | 'runControl'>;

/** Runs of one factory as the management API shows them. One more query if any of them is queued. */
export async function presentRuns(runs: readonly Run[], services: RunServices): Promise<ExplainedRunView[]> {
  const queued = runs.filter(({ state }) => state === 'queued');
  const positions = await findPositions(queued, services);
  return runs.map((run) => presentWithWait(run, services, positions.get(run.id) ?? null));
}

export async function presentOneRun(run: Run, services: RunServices): Promise<ExplainedRunView> {
  const [view] = await presentRuns([run], services);
  return view!;
}

/** A run without a look at the queue: the position of a queued one is not known. */
export function presentRunInPassing(run: Run, { runControl }: Pick<RunServices, 'runControl'>): ExplainedRunView {
  return presentWithWait(run, { runControl }, null);
}

async function findPositions(queued: readonly Run[], { runs }: RunServices): Promise<ReadonlyMap<RunId, number>> {
  const [first] = queued;
  if (first === undefined) return new Map();
  return runs.queuePositions({ factory: first.factory, runs: queued.map(({ id }) => id) });
}

function presentWithWait(
  run: Run,
  { runControl }: Pick<RunServices, 'runControl'>,
  position: number | null,
): ExplainedRunView {
  if (run.state !== 'queued') return { ...presentRun(run), waiting: null };
  const { reason, text } = runControl.explainWait(run.factory);
  return { ...presentRun(run), waiting: { reason, reason_text: text, position } };
}

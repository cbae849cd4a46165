import type { RunId } from '../../domain/ids.ts';
import type { RunControl, WaitReason } from '../../domain/ports/run-control.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import { presentFields, type ViewOf } from '../../domain/resources/fields.ts';
import { ATTEMPT_FIELDS, RUN_FIELDS, type Run, type RunAttempt, type RunView } from '../../domain/resources/run.ts';
import { explainRunError, type RunReason } from '../../domain/words/runs.ts';

/** Why a queued run has not started, and its position in the queue of its factory. */
interface WaitView {
  reason: WaitReason['reason'];
  reason_text: string;
  /** 1 for the next run; `null` if it is not known. */
  position: number | null;
}

interface AttemptView extends ViewOf<typeof ATTEMPT_FIELDS> {
  reason: RunReason | null;
  reason_text: string | null;
}

interface ExplainedRunView extends RunView {
  attempts: AttemptView[];
  waiting: WaitView | null;
}

interface RunViewParts {
  runs: Pick<RunReader, 'queuePositions' | 'attempts'>;
  runControl: Pick<RunControl, 'explainWait'>;
}

/** Runs of one factory as the management API shows them. One more query if any of them is queued. */
export async function presentRuns(runs: readonly Run[], parts: RunViewParts): Promise<ExplainedRunView[]> {
  if (runs.length === 0) return [];
  const queued = runs.filter(({ state }) => state === 'queued');
  const attempts = await parts.runs.attempts(runs.map(({ id }) => id));
  const positions = await findPositions(queued, parts);
  return runs.map((run) => presentRun(run, attempts.get(run.id) ?? [], positions.get(run.id) ?? null, parts));
}

export async function presentOneRun(run: Run, parts: RunViewParts): Promise<ExplainedRunView> {
  const [view] = await presentRuns([run], parts);
  return view!;
}

/** A run without a look at the queue: the position of a queued one is not known. */
export function presentRunInPassing(
  run: Run,
  attempts: readonly RunAttempt[],
  parts: Pick<RunViewParts, 'runControl'>,
): ExplainedRunView {
  return presentRun(run, attempts, null, parts);
}

async function findPositions(queued: readonly Run[], { runs }: RunViewParts): Promise<ReadonlyMap<RunId, number>> {
  const [first] = queued;
  if (first === undefined) return new Map();
  return runs.queuePositions({ factory: first.factory, runs: queued.map(({ id }) => id) });
}

function presentRun(
  run: Run,
  attempts: readonly RunAttempt[],
  position: number | null,
  { runControl }: Pick<RunViewParts, 'runControl'>,
): ExplainedRunView {
  const view = { ...presentFields(RUN_FIELDS, run), attempts: attempts.map(presentAttempt) };
  if (run.state !== 'queued') return { ...view, waiting: null };
  const { reason, text } = runControl.explainWait(run);
  return { ...view, waiting: { reason, reason_text: text, position } };
}

function presentAttempt(attempt: RunAttempt): AttemptView {
  const failure = explainRunError(attempt);
  return {
    ...presentFields(ATTEMPT_FIELDS, attempt),
    reason: failure?.reason ?? null,
    reason_text: failure?.text ?? null,
  };
}

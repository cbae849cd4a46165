import type { Run, RunAttempt } from '../../domain/resources/run.ts';
import { countOf, formatDuration } from '../../domain/words/quantities.ts';
import { explainRunError } from '../../domain/words/runs.ts';
import { createSummary } from './cut-list.ts';
import { createStep, listFacts, type StoryStep } from './story.ts';
import { refRun, type StoryRequest, type Touch } from './story-parts.ts';

/** Attempts of one run that a story of others shows: the first and the most recent ones. */
const MAX_ATTEMPTS = 6;

/** What is known about a run in addition to its row. */
export interface RunHistory {
  run: Run;
  attempts: readonly RunAttempt[];
  touches: readonly Touch[];
  /** Why a queued run waits, as a sentence; `null` for other runs. */
  waiting: string | null;
}

/** Those that need somebody first; otherwise in the order of the list. */
export function rankRuns(runs: readonly Run[]): Run[] {
  const rate = ({ state }: Run) => ['failed', 'queued', 'running', 'cancelled', 'succeeded'].indexOf(state);
  return [...runs].sort((a, b) => rate(a) - rate(b));
}

/** Reads the attempts of runs, who touched them, and why they wait. */
export async function readRuns(request: StoryRequest, runs: readonly Run[]): Promise<RunHistory[]> {
  if (runs.length === 0) return [];
  const attempts = await request.runs.attempts(runs.map(({ id }) => id));
  return Promise.all(
    runs.map(async (run) => ({
      run,
      attempts: attempts.get(run.id) ?? [],
      touches: await request.touches(`runs/${run.id}`, MAX_ATTEMPTS),
      waiting: run.state === 'queued' ? await explainWait(request, run) : null,
    })),
  );
}

async function explainWait({ runControl, runs }: StoryRequest, run: Run): Promise<string> {
  const { id, factory } = run;
  const position = (await runs.queuePositions({ factory, runs: [id] })).get(id);
  const { text } = runControl.explainWait(run);
  return position === undefined ? text : `${text} Position ${position} in the queue.`;
}

/** The state of a run in one sentence, with the reason. */
export function describeRunState({ run, waiting, touches, attempts }: RunHistory): string {
  const { state, automation, error, executor, startedAt, finishedAt } = run;
  const after = startedAt === null || finishedAt === null ? '' : ` after ${formatDuration(finishedAt - startedAt)}`;
  const again = run.attempt > 1 ? `, attempt ${run.attempt}${sayRequester(attempts.at(-1))}` : '';
  if (state === 'queued') return `The run of ${automation} is queued${again}. ${waiting}`;
  if (state === 'running') return `The run of ${automation} is running${again}.`;
  if (state === 'succeeded') return `The run of ${automation} succeeded${after}${again}.`;
  if (state === 'cancelled') {
    const by = findCancel(touches)?.by;
    if (error === 'superseded' || error === 'skipped' || error === 'over_budget') {
      const newer = run.supersededBy === null ? '' : ` The newer run is ${run.supersededBy}.`;
      return `The run of ${automation} was cancelled. ${explainRunError({ error, executor })!.text}${newer}`;
    }
    return by == null ? `The run of ${automation} was cancelled.` : `${by} cancelled the run of ${automation}.`;
  }
  return `The run of ${automation} failed${after}${again}. ${explainRunError({ error, executor })?.text ?? ''}`.trimEnd();
}

function sayRequester(attempt: RunAttempt | undefined): string {
  if (attempt === undefined || attempt.number === 1) return '';
  return attempt.requestedBy === null ? '' : `, requested by ${attempt.requestedBy.name}`;
}

function findCancel(touches: readonly Touch[]): Touch | undefined {
  return touches.find(({ action }) => action === 'Cancel run');
}

/** What happened to a run after it was created. */
export function listRunSteps(request: StoryRequest, history: RunHistory): StoryStep[] {
  const { run, attempts, touches } = history;
  const isWhole = request.all || attempts.length <= MAX_ATTEMPTS;
  const shown = isWhole ? attempts : [attempts[0]!, ...attempts.slice(1 - MAX_ATTEMPTS)];
  const links = [refRun(run.factory, run.id)];
  const omitted = attempts.length - shown.length;
  const cancel = findCancel(touches);
  return [
    ...shown.flatMap((attempt) => listAttemptSteps(run, attempt)),
    ...(cancel === undefined
      ? []
      : [createStep({ at: cancel.at, by: cancel.by, text: `Cancelling ${run.automation} was requested.`, links })]),
    ...(omitted === 0
      ? []
      : [
          createSummary(request, refRun(run.factory, run.id), {
            at: shown[1]!.startedAt,
            text: `${run.automation} had ${countOf(omitted, 'more attempt')}.`,
          }),
        ]),
    ...(attempts.length === 0 && run.finishedAt !== null
      ? [createStep({ at: run.finishedAt, text: describeRunState(history), links })]
      : []),
    ...(run.state === 'queued'
      ? [createStep({ at: null, outcome: 'now', text: describeRunState(history), links })]
      : []),
  ];
}

function listAttemptSteps(run: Run, attempt: RunAttempt): StoryStep[] {
  const { number, requestedAt, requestedBy, startedAt, finishedAt, executor, worker } = attempt;
  const steps: StoryStep[] = [];
  const links = [refRun(run.factory, run.id)];
  if (requestedAt !== null) {
    const by = requestedBy?.name ?? null;
    const who = by === null ? 'Dockbell requested it automatically' : `${by} requested it`;
    steps.push(createStep({ at: requestedAt, by, links, text: `Attempt ${number} of ${run.automation}: ${who}.` }));
  }
  if (startedAt !== null) {
    const facts = listFacts({ Executor: executor, Worker: worker });
    const isLast = attempt.state === 'running';
    const text = `Attempt ${number} of ${run.automation} started${isLast ? ' and is running' : ''}.`;
    steps.push(createStep({ at: startedAt, outcome: isLast ? 'now' : 'note', text, facts, links }));
  }
  if (finishedAt !== null) steps.push(describeEnd(run, attempt, finishedAt));
  return steps;
}

function describeEnd(run: Run, attempt: RunAttempt, at: number): StoryStep {
  const { number, state, startedAt, exitCode, logOffset } = attempt;
  const took = startedAt === null ? '' : ` after ${formatDuration(at - startedAt)}`;
  const failure = explainRunError(attempt);
  const outcome = state === 'succeeded' ? 'ok' : state === 'failed' ? 'failed' : 'note';
  return createStep({
    at,
    outcome,
    text: `Attempt ${number} of ${run.automation} ${state === 'cancelled' ? 'was cancelled' : state}${took}.${failure === null ? '' : ` ${failure.text}`}`,
    facts: listFacts({ 'Exit code': exitCode === null ? null : String(exitCode) }),
    links: [refRun(run.factory, run.id)],
    command: startedAt === null || logOffset === null ? null : `dockbell run log ${run.id} --attempt ${number}`,
  });
}

/** `2 runs`, or `nothing`. */
export function countStarted(runs: readonly unknown[]): string {
  return runs.length === 0 ? 'nothing' : countOf(runs.length, 'run');
}

import type { DrainState, Pause } from '../domain/ports/pauses.ts';
import type { WaitingRun, WaitReason } from '../domain/ports/run-control.ts';
import { formatInstant } from '../domain/time/clock.ts';
import type { WorkerSupply } from './workers/worker-registry.ts';

/** Who paused it, why, and how to resume it, as sentences. */
export function explainPause({ factory, automation, pausedAt, pausedBy, reason }: Pause): string {
  const [paused, option] =
    automation === '' ? [`factory ${factory}`, ''] : [`automation ${automation}`, ` --automation ${automation}`];
  const why = reason === null ? '' : ` Reason: ${endSentence(reason)}`;
  return `${pausedBy.name} paused ${paused} at ${formatInstant(pausedAt)}.${why} To start runs again, run 'dockbell resume --factory ${factory}${option}'.`;
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Explains why this run waits although others of its factory may start; `null` if it does not. */
export function explainGate(run: WaitingRun, nowMs: number): WaitReason | null {
  const { gate, attempt, notBefore, concurrencyKey } = run;
  // The time has come, but no claim opens the gate while no slot is free.
  if ((gate === 'debounce' || gate === 'backoff') && notBefore !== null && notBefore <= nowMs) return null;
  const time = notBefore === null ? 'soon' : `at ${formatInstant(notBefore)}`;
  if (gate === 'debounce') {
    const text = `The run starts ${time} if no other delivery with the key ${concurrencyKey} arrives before. Another delivery replaces it and begins the quiet time again.`;
    return { reason: 'debounce', text };
  }
  if (gate === 'budget') {
    const text = `The budget of the automation is used up. The oldest waiting run starts ${time}.`;
    return { reason: 'budget', text };
  }
  if (gate === 'backoff') {
    const text = `Attempt ${attempt - 1} failed. Attempt ${attempt} starts ${time}, according to the retry settings of the automation.`;
    return { reason: 'backoff', text };
  }
  if (gate === 'concurrency') {
    const text = `Runs with the same concurrency key ${concurrencyKey} are running. The run starts when one of them has ended.`;
    return { reason: 'concurrency_key', text };
  }
  return null;
}

/** The current state of the queue of one factory. */
export interface WaitFacts {
  factory: string;
  phase: 'recovering' | DrainState['phase'];
  /** `null`: the configuration does not have the factory. */
  executedBy: 'daemon' | 'workers' | null;
  /** Do the runs of the factory fill its concurrency? */
  isFull: boolean;
  concurrency: number;
  /** Does the configuration name an executor? Workers may claim runs without one too. */
  hasExecutor: boolean;
  /** The labels that the run needs; `null` for none. */
  runsOn: readonly string[] | null;
  /** Which workers have asked for runs of this factory since the daemon started? */
  supply: WorkerSupply;
  /** Why runs cannot start on this machine; `null` if they can. */
  startFailure: string | null;
  /** When the budget of the factory allows the next start; `null` if it keeps no run from starting. */
  budgetOpensAt: number | null;
}

/** Explains why queued runs wait: the first fact that keeps every run from starting. */
export function explainWait(facts: WaitFacts): WaitReason {
  const { factory, phase, executedBy, isFull, concurrency, startFailure, budgetOpensAt } = facts;
  if (phase === 'stopping')
    return { reason: 'stopping', text: 'The daemon is stopping. The run starts after the next start.' };
  if (phase === 'draining') {
    return {
      reason: 'draining',
      text: "The daemon drains: no run starts. To start runs again, run 'dockbell drain --cancel'.",
    };
  }
  if (executedBy === null) {
    return {
      reason: 'factory_not_configured',
      text: `The configuration has no factory ${factory}. Add it to dockbell.yaml again, run 'dockbell factory rename' if it has another name there, or cancel the run.`,
    };
  }
  if (phase === 'recovering') {
    return {
      reason: 'recovering',
      text: 'The daemon is recovering runs of an earlier process. The run starts after that.',
    };
  }
  const unservable = explainLabels(facts);
  if (unservable !== null) return unservable;
  if (startFailure !== null) {
    return {
      reason: 'start_failed',
      text: `Runs of factory ${factory} cannot start now, and the daemon keeps trying: ${startFailure}`,
    };
  }
  if (budgetOpensAt !== null) {
    return {
      reason: 'budget',
      text: `runs.budget of factory ${factory} is used up. The next run starts at ${formatInstant(budgetOpensAt)}.`,
    };
  }
  if (isFull) {
    return {
      reason: 'concurrency_limit',
      text: `runs.concurrency is reached: ${concurrency} of ${concurrency} slots are in use.`,
    };
  }
  return executedBy === 'daemon' ? { reason: 'starting', text: 'The run starts in a moment.' } : explainWorkers(facts);
}

/** Explains why no worker has claimed a run that each could take. */
function explainWorkers({ factory, supply, hasExecutor }: WaitFacts): WaitReason {
  if (supply === 'able') return { reason: 'no_worker', text: 'The run waits until a worker claims it.' };
  if (supply === 'offline') {
    return {
      reason: 'no_worker',
      text: `No worker for factory ${factory} is online. Start one, or see 'dockbell worker list'.`,
    };
  }
  if (hasExecutor) {
    return {
      reason: 'no_worker',
      text: `No worker has claimed runs of factory ${factory} since the daemon started. Start a worker.`,
    };
  }
  return {
    reason: 'no_executor',
    text: `Factory ${factory} has no executor. Set runs.executor in dockbell.yaml and run 'dockbell reload', or start a worker.`,
  };
}

/** A run that no worker can take, because of its labels; `null` for any other. */
function explainLabels({ factory, executedBy, runsOn, supply }: WaitFacts): WaitReason | null {
  if (runsOn === null) return null;
  const labels = `${runsOn.length === 1 ? 'the label' : 'the labels'} ${runsOn.join(', ')}`;
  if (executedBy === 'daemon') {
    return {
      reason: 'no_matching_worker',
      text: `The automation's runsOn requires a worker with ${labels}, but the daemon executes the runs of factory ${factory}. Set its runs.executor to { type: queue } and start a worker, or remove runsOn and retry the delivery.`,
    };
  }
  if (supply === 'able') return null;
  const options = runsOn.map((label) => `--label ${label}`).join(' ');
  return {
    reason: 'no_matching_worker',
    text: `No worker with ${labels} is online for factory ${factory}. Start one with 'dockbell worker ${options}', or see 'dockbell worker list'.`,
  };
}

/** Why an attempt of a run failed or was cancelled, as a code. */
export const RUN_REASONS = [
  'timeout',
  'interrupted',
  'cancelled',
  'superseded',
  'skipped',
  'over_budget',
  'exit_code',
  'signal',
  'failed',
] as const;
export type RunReason = (typeof RUN_REASONS)[number];

/** Describes the `error` of a run or an attempt: a code, and a sentence with what to do. */
interface RunFailure {
  reason: RunReason;
  text: string;
}

/** Sentences for errors that are codes. All other errors are sentences themselves. */
const SENTENCES = {
  timeout: 'The attempt exceeded the time limit of runs.timeout and was stopped.',
  cancelled: 'A user cancelled the run.',
  superseded:
    'A newer run with the same concurrency key replaced it, because of debounce or of the mode latest of its automation.',
  skipped:
    'Other runs with the same concurrency key had not ended, and the concurrency mode of the automation is skip. To start this run, retry it.',
  over_budget: 'The budget was used up, and its setting over is skip. To start this run, retry it.',
} as const;

const INTERRUPTED_COMMAND =
  'The daemon stopped or crashed during the attempt; after a stop, the last line of the log has the reason. Check what the run already changed, then retry it. To retry such runs automatically, set runs.retry to interrupted.';

const INTERRUPTED_WORKER =
  'The worker sent no heartbeat before its lease ended. Check the worker and what the run already changed, then retry the run.';

const RECEIVER_TIMEOUT =
  'The receiver reported no end within the time limit of runs.timeout. It may still be working: check what the run changed before you retry it.';

/** Explains how an attempt ended; `null` for one without an error. */
export function explainRunError({
  error,
  executor,
}: {
  error: string | null;
  executor: string | null;
}): RunFailure | null {
  if (error === null) return null;
  if (error === 'interrupted') {
    return { reason: 'interrupted', text: executor === 'queue' ? INTERRUPTED_WORKER : INTERRUPTED_COMMAND };
  }
  if (error === 'timeout' && executor === 'http') return { reason: 'timeout', text: RECEIVER_TIMEOUT };
  if (isSentenced(error)) return { reason: error, text: SENTENCES[error] };
  if (/^exit code -?\d+$/.test(error)) {
    const what = executor === 'http' ? 'The receiver reported' : 'The command ended with';
    return { reason: 'exit_code', text: `${what} ${error}.` };
  }
  if (/^signal SIG[A-Z0-9]+$/.test(error)) return { reason: 'signal', text: `The command was ended by ${error}.` };
  return { reason: 'failed', text: error };
}

function isSentenced(error: string): error is keyof typeof SENTENCES {
  return Object.hasOwn(SENTENCES, error);
}

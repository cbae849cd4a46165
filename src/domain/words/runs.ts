import { countOf, writeDuration } from './quantities.ts';

/** What the values of the context of a run are called, in the order in which they are shown. */
const CONTEXT_LABELS = {
  provider: 'Provider',
  event: 'Trigger event',
  provider_event: 'Provider event',
  repository: 'Repository',
  number: 'Number',
  url: 'URL',
  actor: 'Actor',
  commit: 'Commit',
} as const;

export type ContextName = keyof typeof CONTEXT_LABELS;

/** The values of a context with their names in `run.json`. Absent values are omitted. */
export function listContext(
  context: {
    readonly [Name in ContextName]?: string | number;
  },
): { name: ContextName; label: string; text: string }[] {
  return (Object.keys(CONTEXT_LABELS) as ContextName[]).flatMap((name) => {
    const value = context[name];
    return value === undefined ? [] : [{ name, label: CONTEXT_LABELS[name], text: String(value) }];
  });
}

/** How far an attempt is, in one line; `null` if its holder reported nothing. */
export function describeProgress(progress: { percent: number | null; text: string | null } | null): string | null {
  if (progress === null) return null;
  const { percent, text } = progress;
  const parts = [percent === null ? null : `${Math.round(percent)}%`, text].filter(
    (part) => part !== null && part !== '',
  );
  return parts.length === 0 ? null : parts.join(', ');
}

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

/** Why a run is not retried, as a code. */
export const RETRY_REJECTIONS = ['unfinished', 'payload_gone', 'not_found'] as const;
export type RetryRejection = (typeof RETRY_REJECTIONS)[number];

const REJECTION_SENTENCES: Readonly<Record<RetryRejection, string>> = {
  unfinished: 'The run has not ended yet: cancel it first, or wait for its end.',
  payload_gone: 'The payload of the run is no longer stored, so the run cannot be executed again.',
  not_found: 'The run is no longer stored.',
};

export function explainRetryRejection(rejection: RetryRejection): string {
  return REJECTION_SENTENCES[rejection];
}

/** The limit of the loop guard: at most this number of runs of one automation for one subject within this time. */
export interface LoopGuardLimit {
  runs: number;
  windowMs: number;
}

/** The limit if the configuration sets no other one. Alerts about the guard end after this time. */
export const LOOP_GUARD = { runs: 10, windowMs: 10 * 60_000 } as const satisfies LoopGuardLimit;

/**
 * Why a delivery did not start an automation, as the end of a sentence.
 *
 * @param subject as `DeliveryOffer.subject`
 */
export function explainLoopGuard(subject: string, { runs, windowMs }: LoopGuardLimit = LOOP_GUARD): string {
  return `it has had ${countOf(runs, 'run')} for ${describeSubject(subject)} within ${describeWindow(windowMs)}, the limit of the loop guard`;
}

function describeWindow(windowMs: number): string {
  return windowMs % 60_000 === 0 ? countOf(windowMs / 60_000, 'minute') : writeDuration(windowMs);
}

/** For people, for example `github acme/shop 12`. */
export function describeSubject(subject: string): string {
  try {
    const parts = JSON.parse(subject) as (string | number | null)[];
    return parts.filter((part) => part !== null).join(' ');
  } catch {
    return 'one subject';
  }
}

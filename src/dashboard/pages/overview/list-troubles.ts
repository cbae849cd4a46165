import type { Condition } from '../../api/types.ts';

/** What a trouble means, and what to do about it. */
export interface TroubleWords {
  title: string;
  /** Does something not work, or could it only be better? */
  isGrave: boolean;
  advice: string;
  /** Where more is said. */
  page: { path: string; label: string } | null;
}

const HISTORY = { path: 'reconciliations', label: 'View reconciliations' };

const WORDS: Readonly<Record<string, TroubleWords>> = {
  Ready: {
    title: 'Nothing is live yet',
    isGrave: true,
    advice: 'Senders get 404 until a definition applies.',
    page: HISTORY,
  },
  Reconciled: {
    title: 'The last change did not apply',
    isGrave: true,
    advice: 'What was live before goes on.',
    page: HISTORY,
  },
  NoExecutor: {
    title: 'Runs are queued but nothing executes them',
    isGrave: false,
    advice: 'Set runs.executor for this factory in dockbell.yaml: a command, or type: queue for workers.',
    page: { path: 'runs', label: 'View queued runs' },
  },
  RunsNotStarting: {
    title: 'Runs cannot start',
    isGrave: true,
    advice: 'Queued runs start when the machine of the daemon has room again. The daemon keeps trying.',
    page: { path: 'runs', label: 'See what waits' },
  },
  PushWebhookMissing: {
    title: 'Pushes are noticed late',
    isGrave: false,
    advice: 'Correct source.pushWebhook in dockbell.yaml, or add the webhook.',
    page: null,
  },
  NotifyFailing: {
    title: 'Commit status could not be reported to the git host',
    isGrave: false,
    advice: 'Check notify of this factory in dockbell.yaml, and the secret that it names.',
    page: HISTORY,
  },
};

const FIRST_FAILED: TroubleWords = {
  title: 'The definition did not apply',
  isGrave: true,
  advice: 'Nothing goes live before it does.',
  page: HISTORY,
};

/** The conditions that are not as they should be, the grave ones first. */
export function listTroubles(conditions: readonly Condition[]): Condition[] {
  return conditions
    .filter(({ severity }) => severity !== 'ok')
    .sort((a, b) => Number(describeTrouble(b).isGrave) - Number(describeTrouble(a).isGrave));
}

/**
 * A condition of a newer daemon is shown by its own words.
 *
 * @param isLive does the factory serve a definition? Where none was live before, none goes on
 */
export function describeTrouble({ type, reason }: Condition, isLive = true): TroubleWords {
  if (type === 'Reconciled' && !isLive) return FIRST_FAILED;
  return WORDS[type] ?? { title: reason, isGrave: false, advice: '', page: null };
}

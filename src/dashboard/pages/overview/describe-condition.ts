import type { Condition } from '../../../client/api-types.ts';

/** What a condition means, and what to do about it. */
export interface ConditionText {
  title: string;
  /** True if something does not work, false if it works with limits. */
  isSevere: boolean;
  advice: string;
  /** Page with more details. */
  page: { path: string; label: string } | null;
}

const HISTORY = { path: 'reconciliations', label: 'View reconciliations' };

const WORDS: Readonly<Record<string, ConditionText>> = {
  Ready: {
    title: 'No definition is live yet',
    isSevere: true,
    advice: 'Senders get 404 until a definition is applied.',
    page: HISTORY,
  },
  Reconciled: {
    title: 'The last change was not applied',
    isSevere: true,
    advice: 'The previous definition stays live.',
    page: HISTORY,
  },
  NoExecutor: {
    title: 'Runs are queued but nothing executes them',
    isSevere: false,
    advice: 'Set runs.executor for this factory in dockbell.yaml: a command, or type: queue for workers.',
    page: { path: 'runs', label: 'View queued runs' },
  },
  RunsNotStarting: {
    title: 'Runs cannot start',
    isSevere: true,
    advice: 'Queued runs start when the host of the daemon has free resources again. The daemon retries automatically.',
    page: { path: 'runs', label: 'View queued runs' },
  },
  NothingStarts: {
    title: 'No automation can start',
    isSevere: false,
    advice: 'Run dockbell validate: it names the webhooks that are missing.',
    page: { path: 'automations', label: 'View automations' },
  },
  RunsNotRecorded: {
    title: 'The ends of runs cannot be stored',
    isSevere: true,
    advice: 'The slots of these runs stay in use. Check the database and its disk. The daemon retries automatically.',
    page: { path: 'runs?state=running', label: 'View running runs' },
  },
  DatabaseLocked: {
    title: 'Another process locks the database',
    isSevere: true,
    advice:
      'Deliveries are rejected with 503 until the lock is released. End the program that has opened the database.',
    page: null,
  },
  Paused: {
    title: 'Runs are paused',
    isSevere: false,
    advice: 'Deliveries are accepted, and runs wait until somebody resumes them.',
    page: { path: 'runs?state=queued', label: 'View queued runs' },
  },
  PushWebhookMissing: {
    title: 'Pushes are detected late',
    isSevere: false,
    advice: 'Fix source.pushWebhook in dockbell.yaml, or add the webhook.',
    page: null,
  },
  HistoryRewritten: {
    title: 'The branch was force-pushed',
    isSevere: false,
    advice: 'Check that the team expects it. This condition ends with the next commit on top of it.',
    page: HISTORY,
  },
  CredentialsFailing: {
    title: 'Senders have a wrong credential',
    isSevere: false,
    advice: 'Their deliveries are rejected. Compare the secret of the sender with that of the webhook.',
    page: { path: 'webhooks', label: 'View webhooks' },
  },
  RunsFailing: {
    title: 'Automations are failing',
    isSevere: false,
    advice: 'Each of these automations has failed several times in a row.',
    page: { path: 'runs?state=failed', label: 'View failed runs' },
  },
  AlertsFailing: {
    title: 'Messages about alerts could not be sent',
    isSevere: false,
    advice: 'Check the target in alerts.targets of dockbell.yaml and the secret that it uses.',
    page: null,
  },
  NotifyFailing: {
    title: 'Requests to a git host or receiver fail',
    isSevere: false,
    advice: 'Check the target of this factory in dockbell.yaml and the secret that it uses.',
    page: null,
  },
};

const FIRST_FAILED: ConditionText = {
  title: 'The definition was not applied',
  isSevere: true,
  advice: 'Nothing is live until a definition is applied.',
  page: HISTORY,
};

/** Conditions with a warning or an error, severe ones first. */
export function listActiveConditions(conditions: readonly Condition[]): Condition[] {
  return conditions
    .filter(({ severity }) => severity !== 'ok')
    .sort((a, b) => Number(describeCondition(b).isSevere) - Number(describeCondition(a).isSevere));
}

/**
 * Unknown condition types, from a newer daemon, are shown by their reason.
 *
 * @param isLive whether a definition was applied before
 */
export function describeCondition({ type, reason }: Condition, isLive = true): ConditionText {
  if (type === 'Reconciled' && !isLive) return FIRST_FAILED;
  return WORDS[type] ?? { title: reason, isSevere: false, advice: '', page: null };
}

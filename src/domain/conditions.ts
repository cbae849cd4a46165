import type { Condition } from './applies/reconciliation.ts';
import type { CredentialFailure } from './deliveries/webhook-traffic.ts';
import type { Pause } from './ports/pauses.ts';
import { formatInstant } from './time/clock.ts';
import { CATCH_UP_FACTOR } from './time/retention-time.ts';
import type { ClockStep } from './time/steady-clock.ts';
import { describeFailures } from './words/notices.ts';

/** A condition before anyone knows since when. */
export type ConditionState = Omit<Condition, 'since'>;

/** Keeps `since` of each condition whose status and reason are what they were. */
export function updateConditions(
  before: readonly Condition[],
  states: readonly ConditionState[],
  nowMs: number,
): Condition[] {
  return states.map((state) => {
    const earlier = before.find((condition) => condition.type === state.type);
    const isSame = earlier?.status === state.status && earlier.reason === state.reason;
    return { ...state, since: isSame ? earlier.since : nowMs };
  });
}

/** The condition with this reason, as the facts of its sentence describe it. */
export function describeCondition<Reason extends keyof typeof CONDITIONS>(
  reason: Reason,
  ...facts: Parameters<(typeof CONDITIONS)[Reason]['say']>
): ConditionState {
  const { type, status, say } = CONDITIONS[reason];
  return { type, status, reason, message: (say as (...facts: unknown[]) => string)(...facts) };
}

/** The bad state of a part. `since`: if the part knows that. Then it logs the state itself. */
export interface PartCondition extends ConditionState, Partial<Pick<Condition, 'since'>> {}

/** In the order of the table. */
export function orderConditions(states: readonly PartCondition[]): PartCondition[] {
  const reasons = Object.keys(CONDITIONS);
  return states.toSorted((a, b) => reasons.indexOf(a.reason) - reasons.indexOf(b.reason));
}

/** By reason, in the order in which a factory shows those of parts: the type and the status of each condition, and its sentence. */
export const CONDITIONS = {
  // Is there a definition that serves?
  DefinitionLive: {
    type: 'Ready',
    status: 'True',
    say: (revision: string) => `serving ${revision}`,
  },
  NothingApplied: {
    type: 'Ready',
    status: 'False',
    say: () => 'no definition was ever applied',
  },
  /** Nothing of the factory is served, regardless of what its last pass stored. */
  NotConfigured: {
    type: 'Ready',
    status: 'False',
    say: (factory: string) =>
      `the configuration names no factory ${factory}: its webhooks answer 404 and nothing is applied. To serve the same URLs again, add it to dockbell.yaml under this name. If it has another name there, run 'dockbell factory rename ${factory} NEW'. If it was removed, run 'dockbell factory forget ${factory}'`,
  },

  // Did the last pass do what the source says? A pass that did not has the reason of its failure.
  Applied: {
    type: 'Reconciled',
    status: 'True',
    say: (message: string) => message,
  },
  /** The configuration may name a webhook that the definition does not have. No check of either can see that. */
  NoSuchWebhook: {
    type: 'PushWebhookMissing',
    status: 'True',
    say: (webhook: string) =>
      `pushes are seen by polling only: source.pushWebhook names ${webhook}, and no enabled webhook of the factory is called that`,
  },
  /** Somebody with access to the repository replaced commits, which the operator may not expect. */
  ForcePushed: {
    type: 'HistoryRewritten',
    status: 'True',
    say: (note: string) => note,
  },

  // Do deliveries arrive?
  /** Webhooks whose pinned secret cannot be opened answer 503, while everything else of the factory works. */
  SecretUnreadable: {
    type: 'SecretsReadable',
    status: 'False',
    say: (webhooks: readonly string[]) =>
      `the applied secret of ${webhooks.join(', ')} cannot be read, so every delivery to it is rejected with 503. ` +
      'Set the secret again with "dockbell secret update", or restore a backup. The log names the version',
  },
  /** The scope of secrets was changed although webhooks of the applied definition use them. */
  SecretOutsideScope: {
    type: 'SecretsOutsideScope',
    status: 'True',
    say: (uses: readonly { webhook: string; secret: string }[]) =>
      `the factory may not use the team secrets ${listNames(uses.map(({ secret }) => secret))}: ${listNames(uses.map(({ webhook }) => webhook))} keeps the applied version, and the next apply fails. An owner can add it to their scope with "dockbell secret update NAME --factory FACTORY --add"`,
  },
  /** Senders with a wrong credential. Their deliveries are lost unless they retry. */
  CredentialRejected: {
    type: 'CredentialsFailing',
    status: 'True',
    say: (webhooks: readonly FailingWebhook[]) =>
      `senders do not have the right credential: ${shorten(webhooks.map(describeFailingWebhook), '; ')}`,
  },

  // Do runs start, and succeed?
  /** Runs are created and wait if nothing executes them (interfaces, "Server configuration"). */
  NoExecutorConfigured: {
    type: 'NoExecutor',
    status: 'True',
    say: () => 'runs stay queued: the configuration names no runs.executor for this factory',
  },
  NotServed: {
    type: 'NothingStarts',
    status: 'True',
    say: (automations: number) =>
      `${automations === 1 ? 'its automation cannot start' : `none of its ${automations} automations can start`}: no enabled webhook and no schedule serves the triggers, or they are disabled; dockbell validate names what is missing`,
  },
  PausedByUser: {
    type: 'Paused',
    status: 'True',
    say: (pauses: readonly Pause[]) => {
      const described = pauses.slice(0, MAX_PAUSES).map(describePause);
      const rest = pauses.length - described.length;
      return `${described.join('; ')}${rest === 0 ? '' : `; ${rest} more`}`;
    },
  },
  /** Runs wait although the factory has an executor: the machine cannot start them. */
  StartFailed: {
    type: 'RunsNotStarting',
    status: 'True',
    say: (problem: string) => `runs stay queued, and the daemon keeps trying to start them: ${problem}`,
  },
  /** The slots of runs whose end is not recorded stay in use. */
  RecordFailed: {
    type: 'RunsNotRecorded',
    status: 'True',
    say: (problem: string) =>
      `runs have ended, but the storage does not record it, and the daemon keeps trying: ${problem}`,
  },
  /** Commit statuses that could not be posted. The definition is live anyway. */
  StatusNotPosted: {
    type: 'NotifyFailing',
    status: 'True',
    say: (failures: Parameters<typeof describeFailures>[0]) => describeFailures(failures),
  },
  /** Runs fail because they may use no such secret, which no apply and no webhook depends on. */
  RunSecretMissing: {
    type: 'RunSecretsMissing',
    status: 'True',
    say: (missing: readonly { secret: string; automation: string }[]) =>
      `every run of ${listNames(missing.map(({ automation }) => automation))} fails: there is no team secret named ${listNames(missing.map(({ secret }) => secret))} that runs of the factory may use`,
  },
  /** Automations whose last runs all failed. */
  LastRunsFailed: {
    type: 'RunsFailing',
    status: 'True',
    say: (automations: readonly FailingAutomation[]) =>
      `the last runs of automations failed: ${shorten(automations.map(describeFailingAutomation), '; ')}`,
  },

  // Is the installation in order?
  LockedByAnotherProcess: {
    type: 'DatabaseLocked',
    status: 'True',
    say: () =>
      'the database is locked by another process: nothing can be stored, so senders get 503, and lists may lack the last ' +
      'deliveries. End the program that has opened the database for writing, for example sqlite3',
  },
  ClockAhead: { type: 'ClockStepped', status: 'True', say: describeClockStep },
  ClockBehind: { type: 'ClockStepped', status: 'True', say: describeClockStep },
  Maintenance: {
    type: 'Draining',
    status: 'True',
    say: (executing: number) =>
      `no run starts, and ${describeExecuting(executing)} executed. 'dockbell drain --cancel' starts runs again`,
  },
  Stopping: {
    type: 'Draining',
    status: 'True',
    say: (executing: number) =>
      `the daemon stops when its commands have ended: no run starts, and ${describeExecuting(executing)} executed`,
  },
  CatchingUp: {
    type: 'RetentionDelayed',
    status: 'True',
    say: (steadyMs: number, lagMs: number) =>
      `Dockbell did not run for some time, or the system clock is wrong: it is at ${formatInstant(steadyMs)}, and ` +
      `retention removes rows as of ${formatInstant(steadyMs - lagMs)}. Each hour it catches up by ${CATCH_UP_FACTOR} ` +
      'hours. If the clock is wrong, correct it and restart Dockbell before rows are removed too early',
  },
  BackupFailed: {
    type: 'BackupOverdue',
    status: 'True',
    say: (lastAt: number | null, problem: string) =>
      `the scheduled backup failed, and ${describeLastBackup(lastAt)}: ${problem}`,
  },
  NoRecentBackup: {
    type: 'BackupOverdue',
    status: 'True',
    say: (lastAt: number | null, dir: string) =>
      `${describeLastBackup(lastAt)} in ${dir}: the log says why no later one was stored`,
  },
  /** Targets of alerts that cannot be reached. Their messages wait. */
  MessageNotSent: {
    type: 'AlertsFailing',
    status: 'True',
    say: (failures: readonly { target: string; problem: string }[]) =>
      failures.map(({ target, problem }) => `messages about alerts cannot be sent to ${target}: ${problem}`).join('; '),
  },
} as const satisfies Record<string, Pick<Condition, 'type' | 'status'> & { say(...facts: never[]): string }>;

interface FailingWebhook {
  name: string;
  lastAcceptedAt: number | null;
  failure: CredentialFailure;
}

interface FailingAutomation {
  name: string;
  failedInARow: number;
  failingSince: number;
}

/** Names in the message of a condition. The page of each object shows all. */
const MAX_NAMED = 10;

/** Maximum number of paused automations that a condition describes. */
const MAX_PAUSES = 3;

const HOUR_MS = 3_600_000;

function listNames(names: readonly string[]): string {
  return shorten([...new Set(names)]);
}

function shorten(names: readonly string[], separator = ', '): string {
  const rest = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(separator)}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function describeFailingWebhook({ name, lastAcceptedAt, failure }: FailingWebhook): string {
  const accepted =
    lastAcceptedAt === null ? 'none was ever accepted' : `last accepted ${formatInstant(lastAcceptedAt)}`;
  const reason = failure.reason === null ? '' : ` (${failure.reason})`;
  return `${name}: ${failure.count} rejected since ${formatInstant(failure.since)}${reason}, ${accepted}`;
}

function describeFailingAutomation({ name, failedInARow, failingSince }: FailingAutomation): string {
  return `${name}: ${failedInARow} since ${formatInstant(failingSince)}`;
}

function describePause({ automation, pausedAt, pausedBy, reason }: Pause): string {
  const what = automation === '' ? 'the factory' : `automation ${automation}`;
  const why = reason === null ? '' : `: ${reason}`;
  return `${pausedBy.name} paused ${what} at ${formatInstant(pausedAt)}${why}`;
}

function describeExecuting(count: number): string {
  return count === 0 ? 'none is' : count === 1 ? '1 is still' : `${count} are still`;
}

function describeLastBackup(at: number | null): string {
  return at === null ? 'no backup was stored yet' : `the last backup is of ${formatInstant(at)}`;
}

function describeClockStep({ wallMs, expectedMs, remainingMs }: ClockStep): string {
  const hours = Math.max(1, Math.ceil(remainingMs / HOUR_MS));
  return (
    `the system clock is at ${formatInstant(wallMs)}, but by the time that has passed it must be ` +
    `${formatInstant(expectedMs)}: nothing expires by the system clock. Correct the clock. If it is right, ` +
    `restart Dockbell; otherwise it is accepted in ${hours} h`
  );
}

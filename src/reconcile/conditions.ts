import type { Condition, FactoryStatus } from '../domain/reconciliation.ts';
import { formatInstant } from '../domain/time/clock.ts';
import type { CredentialFailure } from '../domain/webhook-traffic.ts';
import { describeFailures } from '../domain/words/describe-failures.ts';

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

/** Is there a definition that serves? */
export function describeReadiness(appliedRevision: string | null, isServing: boolean): ConditionState {
  return isServing
    ? { type: 'Ready', status: 'True', reason: 'DefinitionLive', message: `serving ${appliedRevision}` }
    : { type: 'Ready', status: 'False', reason: 'NothingApplied', message: 'no definition was ever applied' };
}

/** Did the last pass do what the source says? A pass with nothing to change counts as applied. */
export function describeOutcome(isApplied: boolean, reason: string, message: string): ConditionState {
  return isApplied
    ? { type: 'Reconciled', status: 'True', reason: 'Applied', message }
    : { type: 'Reconciled', status: 'False', reason, message };
}

/** Runs are created and wait if nothing executes them (interfaces, "Server configuration"). */
export function describeExecutor(hasExecutor: boolean): ConditionState[] {
  if (hasExecutor) return [];
  return [
    {
      type: 'NoExecutor',
      status: 'True',
      reason: 'NoExecutorConfigured',
      message: 'runs stay queued: the configuration names no runs.executor for this factory',
    },
  ];
}

/** The configuration may name a webhook that the definition does not have. No check of either can see that. */
export function describePushWebhook(name: string | null, isLive: (webhook: string) => boolean): ConditionState[] {
  if (name === null || isLive(name)) return [];
  return [
    {
      type: 'PushWebhookMissing',
      status: 'True',
      reason: 'NoSuchWebhook',
      message: `pushes are seen by polling only: source.pushWebhook names ${name}, and no enabled webhook of the factory is called that`,
    },
  ];
}

/**
 * Somebody with access to the repository replaced commits, which the operator may not expect. The condition lasts until a
 * commit is found that continues the new history.
 *
 * @param note of the pass; `''` if the branch only moved forward
 * @param before conditions of the same commit
 */
export function describeRewrite(note: string, before: readonly Condition[]): ConditionState[] {
  if (note !== '') return [{ type: 'HistoryRewritten', status: 'True', reason: 'ForcePushed', message: note }];
  return before.filter(({ type }) => type === 'HistoryRewritten');
}

/** Runs wait although the factory has an executor: the machine cannot start them. */
export function describeStartFailure(failure: { problem: string; since: number } | null): Condition[] {
  if (failure === null) return [];
  return [
    {
      type: 'RunsNotStarting',
      status: 'True',
      reason: 'StartFailed',
      message: `runs stay queued, and the daemon keeps trying to start them: ${failure.problem}`,
      since: failure.since,
    },
  ];
}

/** The slots of runs whose end is not recorded stay in use. */
export function describeRecordFailure(failure: { problem: string; since: number } | null): Condition[] {
  if (failure === null) return [];
  return [
    {
      type: 'RunsNotRecorded',
      status: 'True',
      reason: 'RecordFailed',
      message: `runs have ended, but the storage does not record it, and the daemon keeps trying: ${failure.problem}`,
      since: failure.since,
    },
  ];
}

/**
 * @param automations of the live definition, of which none can start
 * @param since wall time in milliseconds
 */
export function describeNothingStarts(automations: number, since: number): Condition[] {
  if (automations === 0) return [];
  const which = automations === 1 ? 'its automation cannot start' : `none of its ${automations} automations can start`;
  const message = `${which}: no enabled webhook and no schedule serves the triggers, or they are disabled; dockbell validate names what is missing`;
  return [{ type: 'NothingStarts', status: 'True', reason: 'NotServed', message, since }];
}

/** Webhooks whose pinned secret cannot be opened answer 503, while everything else of the factory works. */
export function describeUnreadableSecrets(webhooks: readonly string[]): ConditionState | null {
  if (webhooks.length === 0) return null;
  return {
    type: 'SecretsReadable',
    status: 'False',
    reason: 'SecretUnreadable',
    message:
      `the applied secret of ${webhooks.join(', ')} cannot be read, so every delivery to it is rejected with 503. ` +
      'Set the secret again with "dockbell secret update", or restore a backup. The log names the version',
  };
}

/** Commit statuses that could not be posted, and since when (wall time). The definition is live anyway. */
export function describeNotify(
  failures: readonly { target: string; what: string; problem: string; since: number }[],
): Condition[] {
  if (failures.length === 0) return [];
  return [
    {
      type: 'NotifyFailing',
      status: 'True',
      reason: 'StatusNotPosted',
      message: describeFailures(failures),
      since: Math.min(...failures.map(({ since }) => since)),
    },
  ];
}

/** Nothing of the factory is served, regardless of what its last pass stored. */
export function describeUnconfigured({
  name,
  attemptedAt,
  conditions,
}: Pick<FactoryStatus, 'name' | 'attemptedAt' | 'conditions'>): Condition {
  return {
    type: 'Ready',
    status: 'False',
    reason: 'NotConfigured',
    message: `the configuration names no factory ${name}: its webhooks answer 404 and nothing is applied. To serve the same URLs again, add it to dockbell.yaml under this name. If it has another name there, run 'dockbell factory rename ${name} NEW'. If it was removed, run 'dockbell factory forget ${name}'`,
    since: conditions.find(({ type }) => type === 'Ready')?.since ?? attemptedAt ?? 0,
  };
}

/** Names in the message of the condition. The page of each automation shows all of its secrets. */
const MAX_NAMED = 10;

/** Runs fail because they may use no such secret, which no apply and no webhook depends on. */
export function describeMissingRunSecrets(
  missing: readonly { secret: string; automation: string }[],
  since: number,
): Condition {
  const secrets = [...new Set(missing.map(({ secret }) => secret))];
  const automations = [...new Set(missing.map(({ automation }) => automation))];
  return {
    type: 'RunSecretsMissing',
    status: 'True',
    reason: 'RunSecretMissing',
    message: `every run of ${shorten(automations)} fails: there is no team secret named ${shorten(secrets)} that runs of the factory may use`,
    since,
  };
}

/** The scope of secrets was changed although webhooks of the applied definition use them. */
export function describeOutsideScope(uses: readonly { webhook: string; secret: string }[], since: number): Condition {
  const secrets = [...new Set(uses.map(({ secret }) => secret))];
  const webhooks = [...new Set(uses.map(({ webhook }) => webhook))];
  return {
    type: 'SecretsOutsideScope',
    status: 'True',
    reason: 'SecretOutsideScope',
    message: `the factory may not use the team secrets ${shorten(secrets)}: ${shorten(webhooks)} keeps the applied version, and the next apply fails. An owner can add it to their scope with "dockbell secret update NAME --factory FACTORY --add"`,
    since,
  };
}

/** Senders with a wrong credential. Their deliveries are lost unless they retry. */
export function describeFailingCredentials(
  webhooks: readonly { name: string; lastAcceptedAt: number | null; failure: CredentialFailure }[],
): Condition[] {
  if (webhooks.length === 0) return [];
  const describeOne = ({ name, lastAcceptedAt, failure }: (typeof webhooks)[number]) => {
    const accepted =
      lastAcceptedAt === null ? 'none was ever accepted' : `last accepted ${formatInstant(lastAcceptedAt)}`;
    const reason = failure.reason === null ? '' : ` (${failure.reason})`;
    return `${name}: ${failure.count} rejected since ${formatInstant(failure.since)}${reason}, ${accepted}`;
  };
  return [
    {
      type: 'CredentialsFailing',
      status: 'True',
      reason: 'CredentialRejected',
      message: `senders do not have the right credential: ${shorten(webhooks.map(describeOne), '; ')}`,
      since: Math.min(...webhooks.map(({ failure }) => failure.since)),
    },
  ];
}

/** Automations whose last runs all failed. */
export function describeFailingRuns(
  automations: readonly { name: string; failedInARow: number; failingSince: number }[],
): Condition[] {
  if (automations.length === 0) return [];
  const described = automations.map(
    ({ name, failedInARow, failingSince }) => `${name}: ${failedInARow} since ${formatInstant(failingSince)}`,
  );
  return [
    {
      type: 'RunsFailing',
      status: 'True',
      reason: 'LastRunsFailed',
      message: `the last runs of automations failed: ${shorten(described, '; ')}`,
      since: Math.min(...automations.map(({ failingSince }) => failingSince)),
    },
  ];
}

function shorten(names: readonly string[], separator = ', '): string {
  const rest = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(separator)}${rest > 0 ? ` and ${rest} more` : ''}`;
}

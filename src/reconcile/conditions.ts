import type { Condition, Reconciliation } from '../domain/applies/reconciliation.ts';
import { type ConditionState, describeCondition, updateConditions } from '../domain/conditions.ts';

/** A pass with its result, and what is live after it. */
export interface EndedPass {
  reconciliation: Pick<Reconciliation, 'result' | 'reason' | 'message' | 'finishedAt'>;
  /** `null` if no definition was ever applied. */
  liveRevision: string | null;
  hasExecutor: boolean;
  /** The webhook for pushes that the configuration names; `null` for none. */
  pushWebhook: string | null;
  /** Is there an enabled webhook with this name? */
  isLive(webhook: string): boolean;
  /** How the history of the branch was rewritten; `''` if the branch only moved forward. */
  note: string;
  /** Is the commit that of the pass before? */
  isSameCommit: boolean;
}

/** The conditions that a pass stores. */
export function describePass(pass: EndedPass, before: readonly Condition[]): Condition[] {
  const { liveRevision, hasExecutor, pushWebhook, isLive, reconciliation } = pass;
  const states = [
    liveRevision === null ? describeCondition('NothingApplied') : describeCondition('DefinitionLive', liveRevision),
    describeOutcome(reconciliation),
    ...(hasExecutor ? [] : [describeCondition('NoExecutorConfigured')]),
    ...(pushWebhook === null || isLive(pushWebhook) ? [] : [describeCondition('NoSuchWebhook', pushWebhook)]),
    ...describeRewrite(pass, before),
  ];
  return updateConditions(before, states, reconciliation.finishedAt);
}

/** A pass with nothing to change counts as applied. */
function describeOutcome({ result, reason, message }: EndedPass['reconciliation']): ConditionState {
  if (result === 'applied' || result === 'unchanged') return describeCondition('Applied', message);
  return { type: 'Reconciled', status: 'False', reason, message };
}

/** The condition lasts until a commit is found that continues the new history. */
function describeRewrite({ note, isSameCommit }: EndedPass, before: readonly Condition[]): ConditionState[] {
  if (note !== '') return [describeCondition('ForcePushed', note)];
  return isSameCommit ? before.filter(({ type }) => type === 'HistoryRewritten') : [];
}

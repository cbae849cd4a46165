/** The codes of reconciliations and of conditions, each with its sentence. */
export const STATUS_REASONS: Readonly<Record<string, string>> = {
  Applied: 'The revision was applied.',
  Unchanged: 'The revision was live already.',
  ValidationFailed: 'The definition has errors.',
  NoFactoryFound: 'The revision contains no factory definition.',
  SecretMissing: 'A secret is missing.',
  SecretUnsuitable: 'A secret does not fit its webhook.',
  SecretOutsideScope: 'The factory may not use a secret.',
  StorageFailed: 'The storage failed.',
  InternalError: 'The reconciliation failed with an internal error.',
  RepositoryUnreachable: 'The repository cannot be reached.',
  RepositoryMissing: 'The repository does not exist.',
  RepositoryRefused: 'The repository cannot be read.',
  BranchMissing: 'The branch does not exist.',
  FetchTooLarge: 'The fetch exceeded the size limit.',
  FetchTimeout: 'The fetch exceeded the time limit.',
  TreeTooLarge: 'The definition exceeds the size limits.',
  TreeOdd: 'The repository contains unsupported entries.',
  CommitUntrusted: 'No allowed signer signed the commit.',
  SignersUnreadable: 'Signatures cannot be verified.',
  DefinitionLive: 'A definition is live.',
  NotConfigured: 'The factory is not in the configuration.',
  RunSecretMissing: 'A secret that runs need is missing.',
  CredentialRejected: 'A sender has a wrong credential.',
  LastRunsFailed: 'The last runs of an automation failed.',
  ClockAhead: 'The system clock is ahead.',
  ClockBehind: 'The system clock is behind.',
  CatchingUp: 'Retention is delayed.',
  Maintenance: 'No run starts until the drain is cancelled.',
  Stopping: 'The daemon is stopping.',
  NothingApplied: 'No definition has been applied.',
  NoExecutorConfigured: 'The factory has no executor, so runs stay queued.',
  NoSuchWebhook: 'The webhook for pushes does not exist or is disabled.',
  ForcePushed: 'The history of the branch was rewritten.',
  StartFailed: 'Runs cannot be started.',
  SecretUnreadable: 'An applied secret cannot be read.',
  StatusNotPosted: 'A commit status could not be posted.',
};

/** The sentence for a reason of a reconciliation or a condition. An unknown code stands for itself. */
export function describeStatusReason(reason: string): string {
  return Object.hasOwn(STATUS_REASONS, reason) ? STATUS_REASONS[reason]! : reason;
}

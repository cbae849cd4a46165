/** Why a run is not retried, as a code. */
export const RETRY_REJECTIONS = ['unfinished', 'payload_gone', 'not_found'] as const;
export type RetryRejection = (typeof RETRY_REJECTIONS)[number];

const SENTENCES: Readonly<Record<RetryRejection, string>> = {
  unfinished: 'The run has not ended yet: cancel it first, or wait for its end.',
  payload_gone: 'The payload of the run is no longer stored, so the run cannot be executed again.',
  not_found: 'The run is no longer stored.',
};

export function explainRetryRejection(rejection: RetryRejection): string {
  return SENTENCES[rejection];
}

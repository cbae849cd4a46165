/** Why a replay skips a delivery that its filters select. A published code is never used for something else. */
export const REPLAY_SKIPS = {
  payload_removed: 'Retention removed the delivery before it was replayed.',
  webhook_unavailable: 'The webhook is disabled or deleted.',
  definition_unknown:
    'Retention removed a run that the delivery started, so the definition of that time is no longer known.',
  is_replay: 'The delivery is a replay of another one.',
  unreadable: 'The stored payload cannot be evaluated.',
  not_stored: 'The replay could not be stored.',
} as const;

export type ReplaySkip = keyof typeof REPLAY_SKIPS;

/** An unknown code, written by another version, stands for itself. */
export function describeReplaySkip(reason: string): string {
  const words: Readonly<Record<string, string>> = REPLAY_SKIPS;
  return (Object.hasOwn(words, reason) ? words[reason] : undefined) ?? reason;
}

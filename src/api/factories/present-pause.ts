import type { Pause, PauseControl } from '../../domain/ports/pauses.ts';
import { formatInstant } from '../../domain/time/clock.ts';

/** A pause as the management API shows it. */
export function presentPause({ factory, automation, pausedAt, pausedBy, reason }: Pause) {
  return {
    factory,
    automation: automation === '' ? null : automation,
    paused_at: formatInstant(pausedAt),
    paused_by: pausedBy,
    reason,
  };
}

/** The pause of exactly this factory, or of exactly this automation; `null` if it is not paused. */
export function findPause(pauses: PauseControl, factory: string, automation = '') {
  const found = pauses.list().find((pause) => pause.factory === factory && pause.automation === automation);
  return found === undefined ? null : presentPause(found);
}

import type { Pause } from '../../domain/ports/runs/pause-table.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import type { ConditionState } from '../../reconcile/conditions.ts';

/** Maximum number of paused automations that the condition describes. */
const MAX_DESCRIBED = 3;

/** While runs of a factory do not start, because somebody paused it or some of its automations. */
export function describePauses(pauses: readonly Pause[], name: string): ConditionState | null {
  const ofFactory = pauses.filter(({ factory }) => factory === name);
  if (ofFactory.length === 0) return null;
  const described = ofFactory.slice(0, MAX_DESCRIBED).map(describePause);
  const rest = ofFactory.length - described.length;
  const more = rest === 0 ? '' : `; ${rest} more`;
  return { type: 'Paused', status: 'True', reason: 'PausedByUser', message: `${described.join('; ')}${more}` };
}

function describePause({ automation, pausedAt, pausedBy, reason }: Pause): string {
  const what = automation === '' ? 'the factory' : `automation ${automation}`;
  const why = reason === null ? '' : `: ${reason}`;
  return `${pausedBy.name} paused ${what} at ${formatInstant(pausedAt)}${why}`;
}

import type { Run } from '../../../client/api-types.ts';
import { formatDuration } from '../../../domain/words/quantities.ts';

/** Duration of an attempt, or of the last attempt of a run; a dash while it has not finished. */
export function RunDuration({ run: { started_at, finished_at } }: { run: Pick<Run, 'started_at' | 'finished_at'> }) {
  if (started_at === null || finished_at === null) return '–';
  return formatDuration(Date.parse(finished_at) - Date.parse(started_at));
}

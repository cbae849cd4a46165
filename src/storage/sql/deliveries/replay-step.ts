import type { ReplayStep } from '../../../domain/ports/replays.ts';
import type { RecordOutcome } from '../../../domain/resources/delivery.ts';
import { addSkips, isOpenReplay, type Replay } from '../../../domain/resources/replay.ts';

/** Whether the step continues the replay where it is. */
export function isNext(replay: Replay, step: ReplayStep): boolean {
  return isOpenReplay(replay) && isContinued(replay, step);
}

/** A step that was composed before a rename has no deliveries: it looked under the old name of the factory. */
function isContinued({ position, factory }: Replay, { of }: ReplayStep): boolean {
  return position === of.position && factory === of.factory;
}

export function isStored(outcome: RecordOutcome): boolean {
  return outcome.label !== null;
}

/** The replay after its step. */
export function applyStep(replay: Replay, step: ReplayStep, outcomes: readonly RecordOutcome[]): Replay {
  const { position, examined, entries, isEnd, at } = step;
  const stored = entries.filter((_, index) => isStored(outcomes[index]!));
  const started = stored.map(({ runs }) => runs.length);
  const sum = replay.examined + examined;
  return {
    ...replay,
    state: isEnd ? 'finished' : 'running',
    startedAt: replay.startedAt ?? at,
    finishedAt: isEnd ? at : null,
    position,
    examined: isEnd ? replay.total : sum,
    replayed: replay.replayed + stored.length,
    matched: replay.matched + started.filter((runs) => runs > 0).length,
    runs: replay.runs + started.reduce((total, runs) => total + runs, 0),
    skipped: addSkips(addSkips(replay.skipped, step.skipped), {
      not_stored: entries.length - stored.length,
      // What was counted at the start and never found.
      payload_removed: isEnd ? Math.max(0, replay.total - sum) : 0,
    }),
  };
}

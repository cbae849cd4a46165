import type Database from 'better-sqlite3';
import type { ReplayProgress, ReplayStep } from '../../core/ports/deliveries/replays.ts';
import type { RecordOutcome } from '../../core/resources/delivery.ts';
import { addSkips, isOpenReplay, type Replay } from '../../core/resources/replay.ts';
import { REPLAYS } from '../sql/schema/tables.ts';
import type { RecordBatch } from './delivery-log.ts';
import { prepareNamed } from './statement.ts';

/** The columns that a step changes. */
const CHANGED = [
  'state',
  'started_at',
  'finished_at',
  'position',
  'examined',
  'replayed',
  'matched',
  'runs',
  'skipped',
] as const;

type ReplayRow = Parameters<typeof REPLAYS.fromRow>[0];

/**
 * Prepares the step of a replay: the new deliveries with their runs, and the position behind them, in one transaction. After a
 * crash, each delivery was replayed or is after the position.
 */
export function prepareAdvance(
  db: Database.Database,
  record: RecordBatch,
): (step: ReplayStep) => ReplayProgress | null {
  const find = prepareNamed<{ id: string }, ReplayRow>(db, 'SELECT * FROM replays WHERE id = @id');
  const update = prepareNamed<ReplayRow & { id: string }>(
    db,
    `UPDATE replays SET ${CHANGED.map((column) => `${column} = @${column}`).join(', ')} WHERE id = @id`,
  );
  return (step) => {
    const row = find.get({ id: step.id });
    const replay = row === undefined ? null : REPLAYS.fromRow(row);
    if (replay === null || !isOpenReplay(replay) || !isContinued(replay, step)) return null;
    let advanced = replay;
    const outcomes = record(step.entries, (recorded) => {
      advanced = applyStep(replay, step, recorded);
      update.run(REPLAYS.toRow(advanced));
    });
    return { replay: advanced, stored: outcomes.map(isStored) };
  };
}

/** A step that was composed before a rename has no deliveries: it looked under the old name of the factory. */
function isContinued({ position, factory }: Replay, { of }: ReplayStep): boolean {
  return position === of.position && factory === of.factory;
}

function isStored(outcome: RecordOutcome): boolean {
  return outcome.label !== null;
}

function applyStep(replay: Replay, step: ReplayStep, outcomes: readonly RecordOutcome[]): Replay {
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

import type Database from 'better-sqlite3';
import type { ReplayProgress, ReplayStep } from '../../domain/ports/replays.ts';
import { applyStep, isNext, isStored } from '../sql/deliveries/replay-step.ts';
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
    if (replay === null || !isNext(replay, step)) return null;
    let advanced = replay;
    const outcomes = record(step.entries, (recorded) => {
      advanced = applyStep(replay, step, recorded);
      update.run(REPLAYS.toRow(advanced));
    });
    return { replay: advanced, stored: outcomes.map(isStored) };
  };
}

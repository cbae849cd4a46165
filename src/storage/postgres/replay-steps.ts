import type { ClientBase, Pool } from 'pg';
import type { ReplayProgress, ReplayStep } from '../../domain/ports/replays.ts';
import { applyStep, isNext, isStored } from '../sql/deliveries/replay-step.ts';
import { REPLAYS } from '../sql/schema/tables.ts';
import { recordEntries } from './delivery-log.ts';
import { commitOnce } from './transactions.ts';

type ReplayRow = Parameters<typeof REPLAYS.fromRow>[0];

const UPDATE = `UPDATE replays SET state = $2, started_at = $3, finished_at = $4, position = $5, examined = $6, replayed = $7,
  matched = $8, runs = $9, skipped = $10 WHERE id = $1`;

/**
 * The step of a replay: the new deliveries with their runs, and the position behind them, in one transaction. After a crash,
 * each delivery was replayed or is after the position. The lock of the row lets one daemon at a time take a step.
 */
export function advanceReplay(pool: Pool, step: ReplayStep): Promise<ReplayProgress | null> {
  return commitOnce(pool, 'READ COMMITTED', (client) => takeStep(client, step));
}

async function takeStep(client: ClientBase, step: ReplayStep): Promise<ReplayProgress | null> {
  const found = await client.query<ReplayRow>('SELECT * FROM replays WHERE id = $1 FOR UPDATE', [step.id]);
  const replay = found.rows[0] === undefined ? null : REPLAYS.fromRow(found.rows[0]);
  if (replay === null || !isNext(replay, step)) return null;
  const outcomes = step.entries.length === 0 ? [] : await recordEntries(client, step.entries);
  const advanced = applyStep(replay, step, outcomes);
  const row = REPLAYS.toRow(advanced);
  const { id, state, started_at, finished_at, position, examined, replayed, matched, runs, skipped } = row;
  await client.query(UPDATE, [
    id,
    state,
    started_at,
    finished_at,
    position,
    examined,
    replayed,
    matched,
    runs,
    skipped,
  ]);
  return { replay: advanced, stored: outcomes.map(isStored) };
}

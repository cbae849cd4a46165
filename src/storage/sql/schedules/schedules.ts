import { type Kysely, sql, type Transaction } from 'kysely';
import type { DeclaredSchedule } from '../../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../../domain/ids.ts';
import type { ScheduleChange, ScheduleStore } from '../../../domain/ports/schedules.ts';
import type { ScheduleState, TickSource } from '../../../domain/resources/schedule.ts';
import { TICK_SOURCE_NAME } from '../../../domain/words/deliveries.ts';
import { cutRows } from '../cut-rows.ts';
import type { Schema } from '../schema/schema.ts';
import { SCHEDULES } from '../schema/tables.ts';

/** The state of schedules, without the step that records ticks. */
export function createScheduleStore(db: Kysely<Schema>): Omit<ScheduleStore, 'advance'> {
  return {
    sync: (change) => db.transaction().execute((trx) => syncSchedules(trx, change)),
  };
}

async function syncSchedules(trx: Transaction<Schema>, change: ScheduleChange) {
  const { factory, automations, deleted, isWhole } = change;
  const stored = new Map<string, ScheduleState>();
  const names = [...automations.map(({ name }) => name), ...deleted];
  for (const some of isWhole ? [null] : cutRows(names)) {
    for (const row of await listSchedules(trx, factory, some)) stored.set(keyOf(row.automation, row.name), row);
  }
  const wanted = automations.flatMap(({ name, schedules }) => schedules.map((one) => ({ automation: name, ...one })));
  const schedules: ScheduleState[] = [];
  for (const [index, one] of wanted.entries()) {
    const key = keyOf(one.automation, one.name ?? '');
    schedules.push(await store(trx, change, { ...one, index }, stored.get(key) ?? null));
    stored.delete(key);
  }
  for (const { automation, name } of stored.values()) await remove(trx, factory, automation, name);
  const found = await findSource(trx, factory);
  return { source: found ?? (wanted.length === 0 ? null : await createSource(trx, change)), schedules };
}

/** The schedules of a factory, by automation and name. */
export async function listSchedules(
  db: Kysely<Schema>,
  factory: string,
  automations: readonly string[] | null = null,
): Promise<ScheduleState[]> {
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where('factory', '=', factory)
    .$if(automations !== null, (query) => query.where('automation', 'in', automations!))
    .orderBy('automation')
    .orderBy('name')
    .execute();
  return rows.map((row) => SCHEDULES.fromRow(row));
}

function keyOf(automation: string, name: string): string {
  return JSON.stringify([automation, name]);
}

/** A schedule with other times starts again, and keeps its ID and what it has passed. */
async function store(
  trx: Transaction<Schema>,
  { factory, at, newIds }: ScheduleChange,
  { automation, name, cron, timezone, index }: DeclaredSchedule & { automation: string; index: number },
  stored: ScheduleState | null,
): Promise<ScheduleState> {
  if (stored !== null && stored.cron === cron && stored.timezone === timezone) return stored;
  if (stored !== null) {
    const changed = { ...stored, cron, timezone, startedAt: at };
    await trx
      .updateTable('schedules')
      .set({ cron, timezone, started_at: at })
      .where('factory', '=', factory)
      .where('automation', '=', automation)
      .where('name', '=', stored.name)
      .execute();
    return changed;
  }
  const created: ScheduleState = {
    id: newIds.schedules[index]!,
    factory,
    automation,
    name: name ?? '',
    cron,
    timezone,
    startedAt: at,
    passedAt: null,
    firedAt: null,
    delivery: null,
    missed: 0,
    missedAt: null,
  };
  await trx.insertInto('schedules').values(SCHEDULES.toRow(created)).execute();
  return created;
}

async function remove(trx: Transaction<Schema>, factory: string, automation: string, name: string): Promise<void> {
  const key = { factory, automation, name };
  await trx
    .deleteFrom('schedules')
    .where((where) => where.and(key))
    .execute();
}

/** A factory that was renamed may have two. */
async function findSource(trx: Transaction<Schema>, factory: string): Promise<TickSource | null> {
  const row = await trx
    .selectFrom('webhooks')
    .select(['ref', 'uid'])
    .where('factory', '=', factory)
    .where('name', '=', TICK_SOURCE_NAME)
    .orderBy('ref')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { ref: row.ref, uid: row.uid as WebhookUid };
}

/** Deleted and forgotten from the beginning, so that it is served and listed nowhere. */
async function createSource(trx: Transaction<Schema>, { factory, at, newIds }: ScheduleChange): Promise<TickSource> {
  const uid = newIds.source;
  await sql`
    INSERT INTO webhooks (uid, factory, name, file, auth_mode, secret_name, secret_version, enabled, created_at, updated_at,
      deleted_at, forgotten_at, serves)
    VALUES (${uid}, ${factory}, ${TICK_SOURCE_NAME}, '', 'token', '', 0, 0, ${at}, ${at}, ${at}, ${at}, 'schedule')
  `.execute(trx);
  return (await findSource(trx, factory))!;
}

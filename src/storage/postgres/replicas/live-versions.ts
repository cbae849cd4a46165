import type { ClientBase } from 'pg';
import type { AppliedChange, AssignedNumbers } from '../../../domain/ports/inventory.ts';
import type { Storage } from '../../../domain/ports/storage.ts';
import { announce } from './channel.ts';

/** The objects that a change of a factory concerns. */
export interface ChangedObjects {
  /** UIDs. */
  webhooks: readonly string[];
  /** Names. */
  automations: readonly string[];
}

/** Changes whose objects are known, for each factory. A replica that missed more serves the whole factory again. */
const KEPT_CHANGES = 100;

/** Replacing more automations takes about as long as serving the whole factory. */
export const MAX_CHANGED_AUTOMATIONS = 500;

/** What an operation changed, from its arguments and its result: by factory, `null` for everything that it serves. */
type FindChanges = (
  client: ClientBase,
  args: readonly unknown[],
  result: unknown,
) => Promise<[factory: string, objects: ChangedObjects | null][]>;

/** The operations that change what factories serve. */
const CHANGES_LIVE = new Map<string, FindChanges>([
  ['inventory.apply', async (_client, [change]) => [findApplied(change as AppliedChange)]],
  [
    'inventory.pinSecret',
    async (client, [uid], isPinned) => {
      if (isPinned !== true) return [];
      const { rows } = await client.query('SELECT factory FROM webhooks WHERE uid = $1', [uid]);
      return rows.map(({ factory }: { factory: string }) => [factory, { webhooks: [uid as string], automations: [] }]);
    },
  ],
  ['factoryNames.forget', async (_client, [factory], result) => (isDone(result) ? [[factory as string, null]] : [])],
  [
    'factoryNames.rename',
    async (_client, [order], result) => {
      const { from, to } = order as { from: string; to: string };
      return isDone(result)
        ? [
            [from, null],
            [to, null],
          ]
        : [];
    },
  ],
]);

function findApplied(change: AppliedChange): [string, ChangedObjects | null] {
  const { factory, webhooks, deleteWebhooks, automations, deleteAutomations } = change;
  if (automations.length > MAX_CHANGED_AUTOMATIONS) return [factory, null];
  return [
    factory,
    {
      webhooks: [...webhooks.map(({ uid }) => uid), ...deleteWebhooks],
      automations: [...automations.map(({ name }) => name), ...deleteAutomations],
    },
  ];
}

function isDone(result: unknown): boolean {
  return (result as { kind: string }).kind === 'ok';
}

/** What follows an operation in its transaction. `null` if it does not change what factories serve. */
export function findCounting(
  port: keyof Storage,
  name: string,
): ((client: ClientBase, id: string, args: readonly unknown[], result: unknown) => Promise<unknown>) | null {
  const findChanges = CHANGES_LIVE.get(`${port}.${name}`);
  if (findChanges === undefined) return null;
  return async (client, id, args, result) => {
    const changes = await findChanges(client, args, result);
    const versions: number[] = [];
    for (const [factory, objects] of changes) versions.push(await countLiveChange(client, factory, objects));
    if (changes.length > 0)
      await announce(client, id, { kind: 'live', factories: changes.map(([factory]) => factory) });
    return name === 'apply' ? { ...(result as AssignedNumbers), liveVersion: versions[0] } : result;
  };
}

/** Returns the new version. */
async function countLiveChange(client: ClientBase, factory: string, objects: ChangedObjects | null): Promise<number> {
  const { rows } = await client.query(
    `INSERT INTO live_versions (factory, version) VALUES ($1, 1)
      ON CONFLICT (factory) DO UPDATE SET version = live_versions.version + 1 RETURNING version`,
    [factory],
  );
  const { version } = rows[0] as { version: number };
  const text = objects === null ? null : JSON.stringify(objects);
  await client.query('INSERT INTO live_changes (factory, version, objects) VALUES ($1, $2, $3)', [
    factory,
    version,
    text,
  ]);
  const forgotten = version - KEPT_CHANGES;
  await client.query('DELETE FROM live_changes WHERE factory = $1 AND version <= $2', [factory, forgotten]);
  return version;
}

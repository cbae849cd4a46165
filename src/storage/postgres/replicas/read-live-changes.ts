import type { Kysely } from 'kysely';
import type { ClientBase } from 'pg';
import type { LiveChange, ReplicaTable } from '../../../domain/ports/replicas.ts';
import { loadObjects } from '../../sql/definitions/inventory.ts';
import type { Schema } from '../../sql/schema/schema.ts';
import type { Operations } from '../operations.ts';
import { type ChangedObjects, MAX_CHANGED_AUTOMATIONS } from './live-versions.ts';

/** The cost follows the changes, not the size of the factory. One transaction reads all of it, so it fits together. */
export function createLiveChangeReader({ query, run }: Operations): ReplicaTable['changesSince'] {
  return (factory, since) =>
    run('READ ONLY', async (client) => {
      const version = await findVersion(client, factory);
      const objects = await findObjects(client, factory, { since, version });
      return { version, change: objects === null ? null : await readChange(query, factory, objects) };
    });
}

async function findVersion(client: ClientBase, factory: string): Promise<number> {
  const { rows } = await client.query('SELECT version FROM live_versions WHERE factory = $1', [factory]);
  return (rows[0] as { version: number } | undefined)?.version ?? 0;
}

/** The objects of all changes; `null` if a change is unknown, or if there are too many. */
async function findObjects(
  client: ClientBase,
  factory: string,
  { since, version }: { since: number; version: number },
): Promise<ChangedObjects | null> {
  const { rows } = await client.query<{ objects: string | null }>(
    'SELECT objects FROM live_changes WHERE factory = $1 AND version > $2 AND objects IS NOT NULL',
    [factory, since],
  );
  if (rows.length !== version - since) return null;
  const changes = rows.map(({ objects }) => JSON.parse(objects!) as ChangedObjects);
  const webhooks = [...new Set(changes.flatMap((change) => change.webhooks))];
  const automations = [...new Set(changes.flatMap((change) => change.automations))];
  return automations.length > MAX_CHANGED_AUTOMATIONS ? null : { webhooks, automations };
}

async function readChange(query: Kysely<Schema>, factory: string, objects: ChangedObjects): Promise<LiveChange | null> {
  const loaded = await loadObjects(query, factory, objects);
  if (loaded === null) return null;
  const existing = new Set(loaded.automations.map(({ name }) => name));
  return { ...loaded, deletedAutomations: objects.automations.filter((name) => !existing.has(name)) };
}

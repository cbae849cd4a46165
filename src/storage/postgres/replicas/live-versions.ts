import type { ClientBase } from 'pg';
import type { Inventory } from '../../../core/ports/definitions/inventory.ts';
import { announce } from './channel.ts';

const COUNT = `
  INSERT INTO live_versions (factory, version) SELECT unnest($1::text[]), 1
  ON CONFLICT (factory) DO UPDATE SET version = live_versions.version + 1`;

/**
 * Counts a change of what factories serve in the transaction of the change, and announces it when it commits.
 *
 * @param id of this daemon
 */
export async function countLiveChange(client: ClientBase, id: string, factories: readonly string[]): Promise<void> {
  await client.query(COUNT, [factories]);
  await announce(client, id, { kind: 'live', factories });
}

/** The factories that an operation changes, from its arguments. */
export async function findChanged(
  client: ClientBase,
  operation: string,
  args: readonly unknown[],
): Promise<readonly string[]> {
  if (operation === 'apply') return [(args[0] as Parameters<Inventory['apply']>[0]).factory];
  if (operation === 'forget') return [args[0] as string];
  if (operation === 'rename') {
    const { from, to } = args[0] as { from: string; to: string };
    return [from, to];
  }
  const { rows } = await client.query('SELECT factory FROM webhooks WHERE uid = $1', [args[0]]);
  return rows.map(({ factory }: { factory: string }) => factory);
}

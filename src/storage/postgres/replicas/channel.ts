import type { ClientBase, Pool } from 'pg';
import type { ReplicaMessage } from '../../../domain/ports/replicas.ts';

/** The channel of `NOTIFY` on which the replicas of a database talk. */
const CHANNEL = 'dockbell';

type Queryable = Pick<ClientBase | Pool, 'query'>;

/** From now on, the connection receives messages as notifications. */
export async function listen(client: Queryable): Promise<void> {
  await client.query(`LISTEN ${CHANNEL}`);
}

/**
 * Sends a message to the other replicas, in a transaction when it commits.
 *
 * @param id of the sender, which does not receive it
 */
export async function announce(client: Queryable, id: string, message: ReplicaMessage): Promise<void> {
  await client.query('SELECT pg_notify($1, $2)', [CHANNEL, `${id} ${JSON.stringify(message)}`]);
}

/** The message of another replica; `null` for one of this replica, and for one of another program on the same channel. */
export function readPayload(id: string, payload: string): { from: string; message: ReplicaMessage } | null {
  const separator = payload.indexOf(' ');
  const from = payload.slice(0, separator);
  if (from === id) return null;
  try {
    return { from, message: JSON.parse(payload.slice(separator + 1)) as ReplicaMessage };
  } catch {
    return null;
  }
}

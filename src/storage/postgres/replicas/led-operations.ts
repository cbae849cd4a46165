import type { ClientBase } from 'pg';
import { AppError } from '../../../domain/errors.ts';
import type { OfAttempt } from '../../../domain/ports/run-queue.ts';
import type { Storage } from '../../../domain/ports/storage.ts';
import { rightOf } from '../../thread/operation-rights.ts';
import { findCounting } from './live-versions.ts';

/** A daemon in the group of those that share the database. */
export interface Member {
  /** ID of this start. */
  id: string;
  /** As `OfAttempt.machine`. */
  machine: string;
  /** The epoch in which it leads; `null` if it does not lead. */
  epoch(): number | null;
}

type Operation = (...args: unknown[]) => Promise<unknown>;

/**
 * What a daemon of a group does in the transaction of an operation: it proves that it leads before what only the leader does,
 * and counts what changes that which factories serve.
 */
export function asMember(
  { id, machine, epoch }: Member,
  port: keyof Storage,
  name: string,
  operation: Operation,
): (client: ClientBase, args: readonly unknown[]) => Promise<unknown> {
  const right = rightOf(port, name);
  const count = findCounting(port, name);
  return async (client, args) => {
    if (right === 'leads' || (right === 'executes' && !isOf(machine, args))) await requireLead(client, epoch());
    const result = await operation(...args);
    return count === null ? result : count(client, id, args, result);
  };
}

/** Does the request name this machine, as `OfAttempt`? */
function isOf(machine: string, [request]: readonly unknown[]): boolean {
  return (request as OfAttempt | undefined)?.machine === machine;
}

/**
 * Fails unless this daemon leads. The lock of the row makes a new leader wait for the end of the transaction, so a leader
 * that was frozen cannot finish one late.
 *
 * @param epoch of this daemon; `null` if it does not lead
 */
async function requireLead(client: ClientBase, epoch: number | null): Promise<void> {
  const { rowCount } = await client.query({
    name: 'require_lead',
    text: 'SELECT FROM leadership WHERE epoch = $1 FOR SHARE',
    values: [epoch],
  });
  if (rowCount === 0) throw new AppError('not_leading', 'Another replica leads. Repeat the request.');
}

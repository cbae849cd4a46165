import type { Storage } from '../../domain/ports/storage.ts';
import type { Turn } from './transactions.ts';

/** First key of the locks. */
export const RUN_TURNS = 0x0d0cbe14;

/** Finds the lock of the factory whose runs a request changes. */
type FindTurn = (request: never) => Turn;

const leave = (key: unknown) => ({
  name: 'leave_turn',
  text: 'SELECT pg_advisory_unlock($1, $2)',
  values: [RUN_TURNS, key],
});

const ofFactory: FindTurn = ({ factory }: { factory: string }) => ({
  take: {
    name: 'take_turn_of_factory',
    text: 'SELECT hashtext($2) AS key, pg_advisory_lock($1, hashtext($2))',
    values: [RUN_TURNS, factory],
  },
  leave,
});

const ofRun: FindTurn = ({ id }: { id: string }) => ({
  take: {
    name: 'take_turn_of_run',
    text: 'SELECT hashtext(factory) AS key, pg_advisory_lock($1, hashtext(factory)) FROM runs WHERE id = $2',
    values: [RUN_TURNS, id],
  },
  leave,
});

/** Operations that read or change the number of runs that a factory executes: two at the same time conflict nearly always. */
const TURNS: Readonly<Record<string, FindTurn>> = {
  claim: ofFactory,
  admit: ofFactory,
  finish: ofRun,
  release: ofRun,
  retryFailed: ofRun,
  cancelQueued: ofRun,
  retry: ofRun,
};

/**
 * The lock with which the operations on the runs of one factory take turns, across all daemons; `null` for other operations.
 * It saves attempts. The results are correct without it, because the transactions are serializable.
 */
export function findTurn(port: keyof Storage, operation: string, [request]: readonly unknown[]): Turn | null {
  if (port !== 'runQueue' || request === undefined) return null;
  return TURNS[operation]?.(request as never) ?? null;
}

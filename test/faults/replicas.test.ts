import { expect, it } from 'vitest';
import { useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { runFaultRounds } from '../helpers/fault-rounds.ts';
import { FAULTS } from '../helpers/replica-faults.ts';
import { SOUND } from '../helpers/replica-ledger.ts';

/** `DOCKBELL_REPLICA_FAULTS=cut` chooses those whose name contains this text. */
const CHOSEN = process.env.DOCKBELL_REPLICA_FAULTS ?? '';
const faults = Object.fromEntries(Object.entries(FAULTS).filter(([name]) => name.includes(CHOSEN)));

/** `DOCKBELL_REPLICA_ROUNDS=50` for a release. One round of each fault by default. */
const ROUNDS = Number(process.env.DOCKBELL_REPLICA_ROUNDS ?? Object.keys(faults).length);

/** From the end of the fault, or from the apply if that is later, until all replicas serve the same definitions. */
const EQUAL_MS = 5000;

// The connections can be exhausted soon.
const ci = useCiOnPostgres(['max_connections=40']);

it(`loses no accepted delivery, and starts no run twice, in ${ROUNDS} rounds of faults`, {
  timeout: 900_000 + ROUNDS * 180_000,
}, async () => {
  const { account, equalMs } = await runFaultRounds({ ...ci, name: 'faults', faults, rounds: ROUNDS });
  expect(account).toMatchObject(SOUND);
  expect(Math.max(...equalMs)).toBeLessThan(EQUAL_MS);
});

import { describe, expect, it } from 'vitest';
import { type BuildChange, changeBuild } from '../helpers/changed-build.ts';
import { useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { type FaultReport, runFaultRounds } from '../helpers/fault-rounds.ts';
import { FAULTS, type Fault } from '../helpers/replica-faults.ts';

// Each of these builds lacks one guard. `replicas.test.ts` must be able to see that.

const LOAD: Record<string, Fault> = {
  'load only': ({ senders }) => senders.untilAccepted(400, 120_000),
};

const pick = (name: string) => ({ [name]: FAULTS[name]! });

const ci = useCiOnPostgres(['max_connections=40']);

describe('the rounds of faults report', { timeout: 1_800_000 }, () => {
  let builds = 0;
  const run = (changes: readonly BuildChange[], faults: Record<string, Fault>, rounds: number): Promise<FaultReport> =>
    runFaultRounds({
      ...ci,
      name: `control_${++builds}`,
      program: changeBuild(changes),
      faults,
      rounds,
      settledMs: 120_000,
    });

  it('lost deliveries, if an unknown commit counts as done', async () => {
    const guess: BuildChange = {
      find: /isUnknown \? await findOutcomes\(pool, batch\) : null/,
      replace: 'isUnknown ? batch.map(() => ({ label: "Accepted" })) : null',
    };
    const { account } = await run([guess], pick('n-th message to PostgreSQL cut'), 2);
    expect(account.lost.length).toBeGreaterThan(0);
  });

  it('deliveries that were accepted twice, without the unique index', async () => {
    const index: BuildChange = {
      find: /CREATE UNIQUE INDEX identities_claimed/,
      replace: 'CREATE INDEX identities_claimed',
    };
    const claim: BuildChange = {
      find: /ON CONFLICT \(webhook, source, key\) DO NOTHING RETURNING delivery/,
      replace: 'RETURNING delivery',
    };
    // The migration that fills in second keys needs the index, too.
    const fill: BuildChange = { find: /ON CONFLICT \(webhook, source, key\) DO NOTHING;/, replace: ';' };
    const { account } = await run([index, claim, fill], LOAD, 1);
    expect(account.twice.length).toBeGreaterThan(0);
    expect(account.lost).toEqual([]);
  });

  it('runs that started twice, if claims do not exclude each other', async () => {
    const isolation: BuildChange = { find: /"SERIALIZABLE READ WRITE"/, replace: '"READ COMMITTED"' };
    const lock: BuildChange = { find: /\.forUpdate\("runs"\)\.skipLocked\(\)/, replace: '' };
    // Daemons also take turns.
    const turns: BuildChange = {
      find: /SELECT hashtext\(\$2\) AS key, pg_advisory_lock\(\$1, hashtext\(\$2\)\)/,
      replace: 'SELECT hashtext($2) AS key, $1::int',
    };
    const { account } = await run([isolation, lock, turns], LOAD, 1);
    expect(account.startedTwice.length).toBeGreaterThan(0);
    expect(account.lost).toEqual([]);
  });

  it('runs that never end, if the outcome of a claim remains unknown', async () => {
    const resolve: BuildChange = {
      find: /acted\.length === 0 \|\| !isLostConnection\(error\)/,
      replace: 'true',
    };
    const recover: BuildChange = {
      find: /\(executed\) => recovery\.strayRuns\(factory, executed\)/,
      replace: 'async () => {}',
    };
    const { account } = await run([resolve, recover], pick('answer to the COMMIT of a claim cut'), 1);
    expect(account.neverEnded.length).toBeGreaterThan(0);
    expect(account.lost).toEqual([]);
  });

  it('replicas that serve different definitions, if a follower does not compare versions', async () => {
    const compare: BuildChange = {
      find: /\.filter\(\(\[factory, version\]\) => version !== this\.#served\[factory\]\)/,
      replace: '.filter(() => false)',
    };
    const { equalMs, account } = await run([compare], LOAD, 1);
    expect(Math.max(...equalMs)).toBe(Number.POSITIVE_INFINITY);
    expect(account.lost).toEqual([]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { type BuildChange, changeBuild } from '../helpers/changed-build.ts';
import { applyCiFactory, configureCiFactory, declareCiFactory, settleCiFactory } from '../helpers/ci-factory.ts';
import { useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { eventually } from '../helpers/eventually.ts';
import { RepeatingSenders } from '../helpers/repeating-senders.ts';
import { account, SOUND, StartedRuns } from '../helpers/replica-ledger.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { withClient } from '../helpers/start-postgres.ts';
import type { TestDaemon, TestDaemonOptions } from '../helpers/test-daemon.ts';

/** A busy machine starts a daemon in up to a minute. */
const TIMEOUT_MS = 90_000;

/** Appends a step to the migrations of the built program. `NOW` is the schema version that it has without the step. */
function addMigration(oldest: string, sql: string): BuildChange {
  const step = `{ oldest: ${oldest.replace('NOW', 'MIGRATIONS.length')}, sql: \`${sql}\` }`;
  return {
    find: /^\}?\]\.map\(\(\{ oldest, sql \}\) => \(\{[^;]+\}\)\);$/m,
    replace: `$&\nMIGRATIONS.push(${step});`,
  };
}

/** Columns in tables of the hot path, of runs and of definitions, and a table. */
const COMPATIBLE = addMigration(
  'NOW',
  [
    'deliveries',
    'delivery_contents',
    'identities',
    'runs',
    'webhooks',
    'automations',
    'automation_versions',
    'replicas',
  ]
    .map((table) => `ALTER TABLE ${table} ADD COLUMN added TEXT;`)
    .concat('CREATE TABLE added (name TEXT PRIMARY KEY);')
    .join(' '),
);
const INCOMPATIBLE = addMigration('NOW + 1', 'ALTER TABLE deliveries RENAME COLUMN summary TO headline;');

const ci = useCiOnPostgres();

describe('two daemons on one database', () => {
  const started = new StartedRuns();
  let databases = 0;
  let url: string;
  let replicas: TestReplicas;
  let running: TestDaemon[];
  let senders: RepeatingSenders;

  beforeEach(async () => {
    url = await ci.server.createDatabase(`upgrade_${++databases}`);
    replicas = new TestReplicas(url, { config: configureCiFactory(ci.repo, started.command(0.1)) });
    running = [await replicas.start()];
    const uid = await applyCiFactory(running[0]!);
    running.push(await replicas.start());
    senders = new RepeatingSenders(4, () => running.map(({ ingressUrl }) => `${ingressUrl}/webhooks/w/${uid}`));
  });

  const leads = ({ output }: TestDaemon) => eventually(() => output().includes('this replica leads'), TIMEOUT_MS);
  const readSchema = () =>
    withClient(url, async (client) => {
      const { rows } = await client.query('SELECT steps, oldest, written_by FROM dockbell_schema');
      return rows[0] as { steps: number; oldest: number; written_by: string };
    });

  /** Stops a daemon, and starts it with the changes when the other one leads. */
  async function replace(index: number, changes: Partial<TestDaemonOptions>): Promise<void> {
    const daemon = running[index]!;
    running = running.filter((other) => other !== daemon);
    expect(await daemon.end('SIGTERM'), daemon.output()).toBe(0);
    await leads(running[0]!);
    const next = await replicas.start(daemon.dataDir, changes);
    running = running.toSpliced(index, 0, next);
  }

  it('are upgraded one after the other under load, and back', async () => {
    const newer = { program: changeBuild([COMPATIBLE], '0.9.0') };
    const before = await readSchema();
    await senders.untilAccepted(50, TIMEOUT_MS);
    await replace(0, newer);
    const after = { steps: before.steps + 1, oldest: before.steps, written_by: '0.9.0' };
    expect(await readSchema()).toEqual(after);
    expect(running[0]!.output()).toContain('"database migrated"');

    // The older one leads, applies a commit and starts runs.
    const revision = await ci.repo.commit(declareCiFactory(`an older daemon applies ${senders.last}`));
    const reconcile = '/factories/payments/reconciliations?wait=true';
    expect((await running[0]!.api(reconcile, { method: 'POST' })).status).toBe(200);
    expect((await running[0]!.api('/factories/payments')).body).toMatchObject({
      applied_revision: revision,
      health: { replicas_behind: 0 },
    });
    await senders.untilAccepted(50, TIMEOUT_MS);
    const { stdout } = await running[0]!.cli('status');
    expect(stdout).toMatch(/replica-3: +follower, serves everything, version 0\.9\.0/);

    // The new one leads.
    await replace(1, newer);
    await senders.untilAccepted(50, TIMEOUT_MS);

    // And back: the older one starts with the newer schema.
    await replace(0, {});
    await senders.untilAccepted(50, TIMEOUT_MS);
    await senders.stop();
    await settleCiFactory(running[1]!, revision);
    expect(await account(url, senders.accepted, started)).toMatchObject(SOUND);
    // A replica is missing for a moment, and its connections end. No sender gets another answer.
    expect([...senders.answers.keys()].filter((answer) => ![202, 503, 'TypeError'].includes(answer))).toEqual([]);
    expect(await readSchema()).toEqual(after);
    for (const daemon of running) expect(await daemon.end('SIGTERM')).toBe(0);
  });

  it('keep out a version that they cannot work with, and it keeps them out after its start', async () => {
    const newer = { program: changeBuild([INCOMPATIBLE], '0.9.0') };
    await senders.untilAccepted(20, TIMEOUT_MS);
    const tooEarly = replicas.launch(undefined, newer);
    // Its supervisor starts it again, until the others are stopped.
    expect(await tooEarly.exited, tooEarly.output()).toBe(1);
    expect(tooEarly.output()).toMatch(
      /must change from version \d+ to \d+, .* Stop them, then start this one: replica-1, replica-2\. Nothing was changed/,
    );
    await senders.untilAccepted(20, TIMEOUT_MS);
    await senders.stop();
    for (const daemon of running) expect(await daemon.end('SIGTERM')).toBe(0);

    const upgraded = await replicas.start(running[0]!.dataDir, newer);
    const tooLate = replicas.launch(running[1]!.dataDir);
    expect(await tooLate.exited, tooLate.output()).toBe(2);
    expect(tooLate.output()).toMatch(
      /the database has schema version \d+, which needs daemons .* Start Dockbell 0\.9\.0 or newer/,
    );
    expect(await upgraded.end('SIGTERM')).toBe(0);
  });
});

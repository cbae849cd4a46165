import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { applyCiFactory, configureCiFactory } from '../helpers/ci-factory.ts';
import { sendToCi, useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { eventually } from '../helpers/eventually.ts';
import { PostgresProxy } from '../helpers/postgres-proxy.ts';
import { chooseSeed, createSeededRandom } from '../helpers/seeded-random.ts';
import { type DaemonProcess, startTestDaemon, type TestDaemonOptions } from '../helpers/test-daemon.ts';

// A request with an idempotency key, whose daemon is killed before it answers, is sent again to the next daemon.
const ci = useCiOnPostgres();
const seed = chooseSeed();
console.log(`kill before the answer: DOCKBELL_SEED=${seed}`);
const random = createSeededRandom(seed);

/** A request that creates something. */
interface Creation {
  path: string;
  body: object | null;
  key: string;
  /** Has the request made this token or delivery? */
  hasMade(row: Row): boolean;
}

type Row = Record<string, string>;

interface Answer {
  status: number;
  text: string;
}

async function post({ adminUrl, dataDir }: DaemonProcess, { path, body, key }: Creation): Promise<Answer> {
  const answer = await fetch(`${adminUrl}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()}`,
      'idempotency-key': key,
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

function createToken(): Creation {
  const name = `token-${randomUUID()}`;
  return { path: '/tokens', body: { name, role: 'viewer' }, key: randomUUID(), hasMade: (row) => row.name === name };
}

/** Sends a delivery first. */
async function createReplay(daemon: DaemonProcess, uid: string): Promise<Creation> {
  expect((await sendToCi(daemon, uid, { start: false, text: randomUUID() })).status).toBe(202);
  const { body } = await daemon.api('/factories/payments/deliveries?limit=1');
  const { id } = body.data[0];
  return { path: `/deliveries/${id}/replay`, body: null, key: randomUUID(), hasMade: (row) => row.replay_of === id };
}

/** All tokens and deliveries. */
async function listMade(daemon: DaemonProcess): Promise<Row[]> {
  const rows: Row[] = [];
  for (const path of ['/tokens', '/factories/payments/deliveries']) {
    for (let cursor = ''; cursor !== null; ) {
      const { body } = await daemon.api(`${path}?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
      rows.push(...body.data);
      cursor = body.next_cursor;
    }
  }
  return rows;
}

/** Repeats the request until the daemon has finished the first one. */
const repeat = (daemon: DaemonProcess, creation: Creation) =>
  eventually(async () => {
    const answer = await post(daemon, creation);
    return answer.text.includes('idempotency_key_in_use') ? null : answer;
  });

const isLost = ({ status, text }: Answer) => status === 409 && JSON.parse(text).code === 'idempotency_answer_lost';

describe('on PostgreSQL, a daemon that is killed at the COMMIT of a request', () => {
  it.each([
    { cut: 'unsent', next: 'makes the change when the request is repeated', first: 'made' },
    { cut: 'pending', next: 'has made the change and reports that its answer is lost', first: 'lost' },
    { cut: 'answered', next: 'has made the change and reports that its answer is lost', first: 'lost' },
  ] as const)('$next ($cut)', { tags: 'full' }, async ({ cut, first }) => {
    const proxy = await PostgresProxy.start(ci.server.url);
    const url = await ci.server.createDatabase(`killed_${cut}`);
    const config = {
      ...configureCiFactory(ci.repo, ['/bin/true']),
      storage: { type: 'postgres', url: proxy.urlOf(url) },
    };
    const daemon = await startTestDaemon({ config });
    const creation = createToken();
    // The signal is sent before the daemon can see that its connection ends.
    const killed = proxy.cutCommitOf('insert into "tokens"', cut).then(() => daemon.end('SIGKILL'));
    await expect(post(daemon, creation)).rejects.toThrow();
    await killed;

    const next = await startTestDaemon({ config, dataDir: daemon.dataDir });
    const answer = await repeat(next, creation);
    expect(isLost(answer) ? 'lost' : 'made').toBe(first);
    if (first === 'made') expect(answer.status).toBe(201);
    expect(await repeat(next, creation)).toEqual(answer);
    expect((await listMade(next)).filter(creation.hasMade)).toHaveLength(1);
    await next.end('SIGTERM');
    await proxy.close();
  });
});

/** At least. `npm run test:faults` sets a higher number. */
const ROUNDS = Number(process.env.DOCKBELL_KILL_ROUNDS ?? 3);
/** Tokens and replays of a round. */
const TOKENS = 12;
const REPLAYS = 4;

/** Number of repetitions by result. */
type Tally = Record<'answered again' | 'lost' | 'made', number>;

/** Requests in parallel, of which some are answered, and a kill. Then all of them are repeated. Returns the next daemon. */
async function killOnce(
  daemon: DaemonProcess,
  uid: string,
  { options, tally }: { options: TestDaemonOptions; tally: Tally },
): Promise<DaemonProcess> {
  const tokens = Array.from({ length: TOKENS }, createToken);
  const replays: Creation[] = [];
  while (replays.length < REPLAYS) replays.push(await createReplay(daemon, uid));
  const creations = [...tokens, ...replays];
  const answers = new Map<Creation, Answer>();
  const killAfter = random.integer(0, creations.length);
  const sent = creations.map(async (creation) => {
    answers.set(creation, await post(daemon, creation));
  });
  const settled = Promise.allSettled(sent);
  await eventually(() => answers.size >= killAfter);
  await pause(random.integer(0, 8));
  await daemon.end('SIGKILL');
  await settled;

  const next = await startTestDaemon({ ...options, dataDir: daemon.dataDir });
  const repeated = new Map<Creation, Answer>();
  for (const creation of creations) repeated.set(creation, await repeat(next, creation));
  const rows = await listMade(next);
  for (const [creation, answer] of repeated) {
    const made = rows.filter(creation.hasMade).length;
    const first = answers.get(creation);
    if (first === undefined) tally[isLost(answer) ? 'lost' : 'made'] += 1;
    else {
      expect(answer).toEqual(first);
      tally['answered again'] += 1;
    }
    // The key of a token is stored with its change. That of a replay is stored before, so the change can be missing.
    if (isLost(answer) && replays.includes(creation)) expect([0, 1]).toContain(made);
    else expect([isLost(answer) || answer.status === 201, made]).toEqual([true, 1]);
  }
  return next;
}

async function killRepeatedly(options: TestDaemonOptions, isEnough: (rounds: number, tally: Tally) => boolean) {
  const tally: Tally = { 'answered again': 0, lost: 0, made: 0 };
  let daemon = await startTestDaemon(options);
  const uid = await applyCiFactory(daemon);
  for (let rounds = 0; !isEnough(rounds, tally); rounds += 1) {
    daemon = await killOnce(daemon, uid, { options, tally });
  }
  console.log(tally);
  await daemon.end('SIGTERM');
}

/** Rounds are added until each result was seen, because the other ones prove nothing. */
const enough = (least: number) => (rounds: number, tally: Tally) => {
  expect(rounds, JSON.stringify(tally)).toBeLessThan(40);
  return rounds >= least && Object.values(tally).every((count) => count > 0);
};

describe('a daemon that is killed at random moments', () => {
  it('makes no change twice, and repeats its answer or reports that it is lost', {
    tags: 'full',
    timeout: 600_000,
  }, async () => {
    await killRepeatedly({ config: configureCiFactory(ci.repo, ['/bin/true']) }, enough(ROUNDS));
  });

  it('makes no change twice on PostgreSQL', { tags: 'full', timeout: 600_000 }, async () => {
    const storage = { type: 'postgres', url: await ci.server.createDatabase('killed_often') };
    await killRepeatedly({ config: { ...configureCiFactory(ci.repo, ['/bin/true']), storage } }, enough(ROUNDS));
  });
});

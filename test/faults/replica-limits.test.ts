import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { startPostgres, type TestPostgres } from '../helpers/start-postgres.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import type { TestDaemon } from '../helpers/test-daemon.ts';

const WINDOW_MS = 60_000;
const WINDOWS = 2;
/** As `docs/operations/replicas.md` says. */
const TOLERANCE = 1.5;
const LIMITS = { deliveriesPerMinute: 300, failedAuthPerMinute: 60 };

/** Of each replica. All of them together send many times of what the limits admit. */
const SENDERS = [CI_TOKEN, CI_TOKEN, CI_TOKEN, CI_TOKEN, 'a wrong token', 'a wrong token'];
const REST_MS = 20;

let server: TestPostgres;
let repo: TempGitRepo;
beforeAll(async () => {
  [server, repo] = await Promise.all([startPostgres(), createCiRepository()]);
});
afterAll(async () => {
  repo?.remove();
  await server?.remove();
});

/** When each request with this answer was sent, in milliseconds. */
type Answers = Map<number, number[]>;

async function keepSending(url: string, token: string, until: number, answers: Answers): Promise<void> {
  for (let n = 0; performance.now() < until; n += 1) {
    const sentAt = performance.now();
    const { status } = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ at: sentAt, n }),
    });
    const times = answers.get(status) ?? [];
    times.push(sentAt);
    answers.set(status, times);
    await pause(REST_MS);
  }
}

/** The largest number of times in any window. */
function countMost(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  let first = 0;
  return sorted.reduce((most, time, index) => {
    while (sorted[first]! <= time - WINDOW_MS) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}

it.each([2, 4])('%i replicas admit what the limits say, under full load', async (count) => {
  const url = await server.createDatabase(`limits_${count}`);
  const replicas = new TestReplicas(url, { config: { ...configureCiFactory(repo, ['/bin/true']), limits: LIMITS } });
  const daemons: TestDaemon[] = [await replicas.start()];
  const uid = await applyCiFactory(daemons[0]!);
  while (daemons.length < count) daemons.push(await replicas.start());
  const answers: Answers = new Map();
  const until = performance.now() + WINDOWS * WINDOW_MS + 5000;
  await Promise.all(
    daemons.flatMap(({ ingressUrl }) =>
      SENDERS.map((token) => keepSending(`${ingressUrl}/webhooks/w/${uid}`, token, until, answers)),
    ),
  );
  const admitted = { deliveries: countMost(answers.get(202) ?? []), failures: countMost(answers.get(401) ?? []) };
  const sent = [...answers].map(([status, times]) => [status, times.length]);
  console.log({ replicas: count, limits: LIMITS, admitted, sent: Object.fromEntries(sent) });
  expect([...answers.keys()].sort()).toEqual([202, 401, 429]);
  const { deliveriesPerMinute, failedAuthPerMinute } = LIMITS;
  expect(admitted.deliveries).toBeLessThanOrEqual(TOLERANCE * deliveriesPerMinute);
  expect(admitted.failures).toBeLessThanOrEqual(TOLERANCE * failedAuthPerMinute);
  // Each window admits all that the limit allows.
  expect(answers.get(202)!.length).toBeGreaterThanOrEqual(WINDOWS * deliveriesPerMinute);
  expect(answers.get(401)!.length).toBeGreaterThanOrEqual(WINDOWS * failedAuthPerMinute);
  for (const daemon of daemons) expect(await daemon.end('SIGTERM')).toBe(0);
});

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Reconciliation } from '../../src/domain/applies/reconciliation.ts';
import { createIdSource } from '../../src/domain/ids.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { Notifier } from '../../src/outbound/notify/notifier.ts';
import type { NotifyTarget } from '../../src/outbound/notify/notify-target.ts';
import { postOverHttp } from '../../src/outbound/notify/post-notice.ts';
import { applyFactory, buildReconciliation, FACTORY } from '../helpers/build-apply.ts';
import { START_MS } from '../helpers/build-offer.ts';
import { ENDLESS_TERM } from '../helpers/endless-term.ts';
import { eventually } from '../helpers/eventually.ts';
import { type GitHost, HOST_TOKEN, HOST_WEBHOOK_SECRET, startGitHost } from '../helpers/git-host.ts';
import { FakeSchedule } from '../helpers/reconcile-world.ts';
import { SQLITE, useStorage } from '../helpers/with-storage.ts';
import { CloudEvent, HTTP } from '../providers/senders.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const HOUR_MS = 3_600_000;

const opened = useStorage(SQLITE);
let host: GitHost;
let nowMs: number;
let timers: FakeSchedule;
let notifier: Notifier;
let secrets: Map<string, string>;
let logged: string[];
let counted: string[];

beforeEach(async () => {
  host = await startGitHost();
  nowMs = START_MS;
  secrets = new Map([
    ['TOKEN', HOST_TOKEN],
    ['SIGNING', HOST_WEBHOOK_SECRET],
  ]);
  [logged, counted] = [[], []];
});
afterEach(async () => {
  await notifier.stop();
  await host.close();
});

function target(type: NotifyTarget['type'], more: Partial<NotifyTarget> = {}): NotifyTarget {
  const paths = { github: '/github', gitlab: '/gitlab/api/v4', gitea: '/gitea/api/v1', forgejo: '/gitea/api/v1' };
  return {
    type,
    url: `${host.url}${type === 'webhook' ? '/webhook' : paths[type]}`,
    context: 'dockbell/payments',
    repository: type === 'webhook' ? null : 'team/factory',
    targetUrl: null,
    branch: 'main',
    format: 'standard',
    allowPrivateAddresses: true,
    secretName: type === 'webhook' ? 'SIGNING' : 'TOKEN',
    ...more,
  };
}

/** A daemon's notifier; the one before is stopped. */
async function begin(...targets: NotifyTarget[]): Promise<void> {
  await notifier?.stop();
  timers = new FakeSchedule();
  const turn = { last: Promise.resolve() as Promise<unknown> };
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { info: note, warn: note, error: note, child: () => logger };
  notifier = new Notifier({
    logger,
    post: postOverHttp,
    userAgent: 'dockbell/test',
    schedule: timers.schedule,
    targets: new Map([[FACTORY, targets]]),
    queue: inTurn(opened.storage.noticeQueue, turn),
    inventory: inTurn(opened.storage.inventory, turn),
    runs: inTurn(opened.storage.runReader, turn),
    secrets: {
      resolve: async (name) => {
        const value = secrets.get(name);
        return value === undefined
          ? { outcome: 'missing' }
          : { outcome: 'found', version: 1, value: new SecretValue(value) };
      },
    },
    metrics: { countNotice: (_factory, type, outcome) => void counted.push(`${type} ${outcome}`) },
    clock: { wallMs: () => nowMs, monotonicMs: () => nowMs },
    ids: createIdSource(randomBytes),
  });
  notifier.start(ENDLESS_TERM);
}

const applied = (revision: string) => buildReconciliation({ revision, message: `${revision} is live` });

function invalid(revision: string, message = 'webhooks/a.yaml:3:5: unknown key "x"'): Reconciliation {
  const diagnostic = {
    severity: 'error' as const,
    rule: 'schema/unknown-key',
    file: 'webhooks/a.yaml',
    line: 3,
    column: 5,
    path: 'x',
    message: 'unknown key "x"',
    hint: '',
  };
  return buildReconciliation({
    revision,
    message,
    result: 'invalid',
    reason: 'ValidationFailed',
    diagnostics: [diagnostic],
  });
}

const posted = () => host.statuses.map(({ sha, body }) => `${sha[0]} ${body.state ?? body.data.state}`);
const countRequests = (count: number) => eventually(() => host.requests === count);
const counts = (count: number) => eventually(() => counted.length === count);

/** Lets the time pass until the next try. */
async function wait(ms: number): Promise<void> {
  await eventually(() => timers.isPending);
  nowMs += ms;
  timers.fire();
}

/** One operation after the other, as the storage thread does it. */
function inTurn<Port extends object>(port: Port, turn: { last: Promise<unknown> }): Port {
  return new Proxy(port, {
    get:
      (operations, name) =>
      (...args: unknown[]) => {
        const operation = Reflect.get(operations, name) as (...args: unknown[]) => Promise<unknown>;
        const done = turn.last.then(() => operation(...args));
        turn.last = done.catch(() => {});
        return done;
      },
  });
}

describe('the outcome of a commit', () => {
  it.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)(
    'is posted to %s according to its documentation',
    async (type) => {
      await applyFactory(opened.storage, { revision: A, reconciliation: applied(A) });
      await begin(target(type, { targetUrl: 'https://dockbell.example.com/' }));
      notifier.offer(applied(A));
      notifier.offer(invalid(B));
      await eventually(() => host.statuses.length === 2);
      expect(host.violations).toEqual([]);
      const failure = type === 'gitlab' ? 'failed' : 'failure';
      expect(posted()).toEqual(['a success', `b ${failure}`]);
      const [, second] = host.statuses;
      expect(second).toMatchObject({ sha: B, repository: 'team/factory' });
      expect(second!.headers['user-agent']).toBe('dockbell/test');
      expect(second!.body).toEqual({
        state: failure,
        ...(type === 'gitlab' ? { name: 'dockbell/payments', ref: 'main' } : { context: 'dockbell/payments' }),
        target_url: 'https://dockbell.example.com/',
        description: `webhooks/a.yaml:3:5: unknown key "x"; ${A.slice(0, 12)} stays live`,
      });
    },
  );

  it('is posted to a project of GitLab in groups by its encoded path', async () => {
    await begin(target('gitlab', { repository: 'group/sub/factory' }));
    notifier.offer(applied(A));
    await eventually(() => host.statuses.length === 1);
    expect(host.statuses[0]?.repository).toBe('group/sub/factory');
  });

  it('is posted to a webhook signed, with every finding, and again with the same identity', async () => {
    // The library that verifies uses the system clock.
    nowMs = Date.now();
    await begin(target('webhook'));
    host.script({ status: 500 });
    notifier.offer(invalid(B));
    await counts(1);
    await wait(5_000);
    await eventually(() => host.statuses.length === 1);
    expect(host.violations).toEqual([]);
    const [{ body, headers }] = host.statuses as [GitHost['statuses'][number]];
    expect(headers['webhook-id']).toMatch(/^ntc_/);
    expect(body).toMatchObject({
      type: 'commit_status.failure',
      data: {
        factory: FACTORY,
        revision: B,
        state: 'failure',
        reason: 'ValidationFailed',
        applied_revision: null,
        diagnostics: [{ rule: 'schema/unknown-key', file: 'webhooks/a.yaml', line: 3, column: 5 }],
        diagnostics_total: 1,
      },
    });
  });

  it('is posted as a CloudEvent if the target asks for it, which the SDK of CloudEvents accepts', async () => {
    nowMs = Date.now();
    await begin(target('webhook', { format: 'cloudevents' }));
    notifier.offer(invalid(B));
    await eventually(() => host.statuses.length === 1);
    expect(host.violations).toEqual([]);
    const [{ body, headers }] = host.statuses as [GitHost['statuses'][number]];
    expect(headers['content-type']).toBe('application/cloudevents+json');
    const event = HTTP.toEvent({ headers, body: JSON.stringify(body) });
    if (!(event instanceof CloudEvent)) throw new Error('not one event');
    expect(event.validate()).toBe(true);
    expect(event).toMatchObject({
      id: headers['webhook-id'],
      source: `urn:dockbell:factory:${FACTORY}`,
      type: 'dockbell.commit_status.failure',
      subject: B,
      data: { factory: FACTORY, revision: B, state: 'failure' },
    });
  });

  it('is posted once for each commit and outcome, for any number of passes', async () => {
    await begin(target('github'));
    for (let i = 0; i < 20; i += 1) notifier.offer(applied(A));
    for (let i = 0; i < 20; i += 1) notifier.offer(buildReconciliation({ ...applied(A), result: 'unchanged' }));
    await eventually(() => host.statuses.length === 1);
    notifier.offer(invalid(B));
    notifier.offer(applied(A));
    notifier.offer(invalid(B));
    await eventually(() => host.statuses.length === 2);
    await begin(target('github'));
    notifier.offer(invalid(B));
    notifier.offer(applied(B));
    await eventually(() => host.statuses.length === 3);
    await notifier.stop();
    expect(posted()).toEqual(['a success', 'b failure', 'b success']);
  });

  it('is posted as an error if an external dependency is missing for longer', async () => {
    await begin(target('github'));
    const failed = buildReconciliation({
      revision: A,
      result: 'failed',
      reason: 'SecretMissing',
      message: 'no secret',
    });
    notifier.offer(failed);
    notifier.offer(buildReconciliation({ result: 'failed', revision: null, reason: 'FetchTimeout' }));
    notifier.offer(applied(B));
    await eventually(() => host.statuses.length === 1);
    notifier.offer({ ...failed, attemptedAt: failed.finishedAt + 5_000 });
    await eventually(() => host.statuses.length === 2);
    expect(posted()).toEqual(['b success', 'a error']);
  });

  it('that an earlier daemon recorded but did not post is posted at the start', async () => {
    await applyFactory(opened.storage, { revision: A, reconciliation: applied(A) });
    await begin(target('github'));
    await eventually(() => host.statuses.length === 1);
    expect(posted()).toEqual(['a success']);
  });
});

describe('a target with failed posts', () => {
  it('is retried with increasing delays, and is then no longer failing', async () => {
    await begin(target('github'));
    host.script({ status: 500 }, { status: 502, body: 'x'.repeat(1_000_000) }, { status: 500 });
    notifier.offer(applied(A));
    await counts(1);
    expect(notifier.failures(FACTORY)).toEqual([
      {
        target: 'github team/factory',
        what: 'the commit status could not be posted',
        problem: 'it responded with 500',
        since: START_MS,
      },
    ]);
    await wait(5_000);
    await counts(2);
    await wait(10_000);
    await counts(3);
    await wait(20_000);
    await counts(4);
    expect(timers.delaysMs).toEqual([5_000, 10_000, 20_000]);
    expect(posted()).toEqual(['a success']);
    expect(notifier.failures(FACTORY)).toEqual([]);
    expect(counted).toEqual(['github postponed', 'github postponed', 'github postponed', 'github posted']);
  });

  it('is left alone for as long as it asks, with every commit', async () => {
    await begin(target('github'));
    host.script({ status: 429, headers: { 'retry-after': '120' } });
    notifier.offer(applied(A));
    await counts(1);
    notifier.offer(applied(B));
    await eventually(() => timers.delaysMs.length === 2);
    await wait(119_000);
    await eventually(() => timers.delaysMs.length === 3);
    expect(host.requests).toBe(1);
    await wait(1_000);
    await eventually(() => host.statuses.length === 2);
    expect(timers.delaysMs).toEqual([120_000, 120_000, 1_000]);
  });

  it('with a wrong token is given up immediately, reported, and retried after a new value of the secret', async () => {
    secrets.set('TOKEN', 'expired-token');
    await begin(target('github'));
    notifier.offer(applied(A));
    await counts(1);
    expect(counted).toEqual(['github given_up']);
    expect(notifier.failures(FACTORY)[0]?.problem).toMatch(
      /^it responded with 401: the token in the team secret TOKEN/,
    );
    expect(timers.isPending).toBe(false);
    secrets.set('TOKEN', HOST_TOKEN);
    notifier.onSecretChanged('OTHER');
    notifier.onSecretChanged('TOKEN');
    await eventually(() => host.statuses.length === 1);
    await eventually(() => notifier.failures(FACTORY).length === 0);
    expect(logged.join('\n')).not.toContain('expired-token');
  });

  it('whose secret is missing waits for it', async () => {
    secrets.delete('TOKEN');
    await begin(target('github'));
    notifier.offer(applied(A));
    await counts(1);
    expect(notifier.failures(FACTORY)[0]?.problem).toContain('dockbell secret create TOKEN');
    secrets.set('TOKEN', HOST_TOKEN);
    notifier.onSecretChanged('TOKEN');
    await eventually(() => host.statuses.length === 1);
  });

  it.each(['two\nlines', 'ünicode', ''])('whose secret is %j is given up before anything is sent', async (value) => {
    secrets.set('TOKEN', value);
    await begin(target('github'));
    notifier.offer(applied(A));
    await counts(1);
    expect([counted, host.requests]).toEqual([['github given_up'], 0]);
  });

  it('whose signing secret is none is given up before anything is sent', async () => {
    secrets.set('SIGNING', 'whsec_!!!');
    await begin(target('webhook'));
    notifier.offer(applied(A));
    await counts(1);
    expect([counted, host.requests]).toEqual([['webhook given_up'], 0]);
  });

  it('is not followed elsewhere', async () => {
    const elsewhere = await startGitHost();
    await begin(target('github'));
    host.script({ status: 307, headers: { location: `${elsewhere.url}/github/repos/team/factory/statuses/${A}` } });
    notifier.offer(applied(A));
    await counts(1);
    expect([counted, elsewhere.requests]).toEqual([['github given_up'], 0]);
    await elsewhere.close();
  });

  it('without a listener gets the status from a later daemon, once', async () => {
    const { port } = host;
    await begin(target('github'));
    await host.close();
    notifier.offer(applied(A));
    await counts(1);
    expect(notifier.failures(FACTORY)[0]?.problem).toBe('it could not be reached: ECONNREFUSED');
    const again = target('github');
    await notifier.stop();
    opened.reopen();
    host = await startGitHost(port);
    await begin(again);
    await eventually(() => host.statuses.length === 1);
    expect(posted()).toEqual(['a success']);
    await begin(again);
    notifier.offer(applied(A));
    await notifier.stop();
    expect(host.requests).toBe(1);
  });

  it('ends with a stop that hurries, also for a target that a reload has removed, and is retried after it', async () => {
    await begin(target('github'));
    host.hang();
    notifier.offer(applied(A));
    await countRequests(1);
    notifier.setTargets(new Map([[FACTORY, [target('gitea')]]]));
    const hurry = new AbortController();
    const stopped = notifier.stop(hurry.signal);
    hurry.abort();
    await stopped;
    expect([posted(), counted]).toEqual([[], []]);
    host.resume();
    await begin(target('github'));
    await eventually(() => host.statuses.length === 1);
    expect(posted()).toEqual(['a success']);
  });

  it('is known as one after a restart, before anything is tried', async () => {
    await begin(target('github'));
    host.script({ status: 401 }, { status: 429, headers: { 'retry-after': '60' } });
    notifier.offer(applied(A));
    await counts(1);
    nowMs += HOUR_MS;
    await begin(target('github'));
    await counts(2);
    expect(notifier.failures(FACTORY)).toMatchObject([{ since: START_MS }]);
  });

  it('is a private address, unless the target allows it; the name is checked when it is connected to', async () => {
    const url = `https://localhost:${new URL(host.url).port}/webhook`;
    await begin(target('webhook', { url, allowPrivateAddresses: false }));
    notifier.offer(applied(A));
    await counts(1);
    expect(notifier.failures(FACTORY)[0]?.problem).toMatch(
      /^it could not be reached: the address (127\.0\.0\.1|::1) is private or reserved$/,
    );
    expect(host.requests).toBe(0);
  });

  it('is given up after a day', async () => {
    await begin(target('github'));
    host.script({ status: 500 }, { status: 500 });
    notifier.offer(applied(A));
    await counts(1);
    await wait(24 * HOUR_MS);
    await counts(2);
    expect(counted).toEqual(['github postponed', 'github given_up']);
    notifier.offer(applied(B));
    await countRequests(3);
    await eventually(() => posted()[0] === 'b success');
  });

  it('holds up no other target', async () => {
    await begin(target('github'), target('gitea'));
    host.script({ status: 503, headers: { 'retry-after': '600' } });
    notifier.offer(applied(A));
    await eventually(() => host.statuses.length === 1);
    expect(counted.sort()).toEqual(expect.arrayContaining([expect.stringContaining('postponed')]));
  });
});

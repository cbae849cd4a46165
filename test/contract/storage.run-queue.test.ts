import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/access/access.ts';
import type { RunId } from '../../src/domain/ids.ts';
import { MAX_EXAMINED_RUNS, type RunSearch } from '../../src/domain/ports/run-queue.ts';
import type { RunState } from '../../src/domain/resources/run.ts';
import { applyFactory, applyOneOfEach, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const UNKNOWN = 'run_00000000000000000000000000' as RunId;
const SUCCEEDED = { state: 'succeeded', error: null, exitCode: 0 } as const;
const ENDED = { nextAttemptAt: null };
const AT = START_MS + 1000;
const ALICE: Actor = { kind: 'local', id: 'usr_a', name: 'alice' };

describe.each(STORAGES)('the queue of runs on $name', (kind) => {
  const opened = useStorage(kind);
  const queue = () => opened.storage.runQueue;
  const reader = () => opened.storage.runReader;
  const claimAt = (at: number, limit: number, factory = FACTORY) =>
    queue().claim({ factory, executor: 'command', limit, at });
  const claim = async (limit: number, factory = FACTORY) => (await claimAt(AT, limit, factory)).inputs;

  /** Records `count` deliveries with one run each. Returns the runs, oldest first. */
  async function recordRuns(count: number): Promise<RunId[]> {
    const { webhook, version } = await applyOneOfEach(opened.storage);
    const runs = [{ automation: 'fix-errors', version }];
    const offers = Array.from({ length: count }, (_, index) => buildOffer({ webhook, body: `${index}`, runs }));
    const ids = offers.map((offer) => offer.runs[0]!.id);
    await opened.storage.deliveryLog.record(offers);
    return ids;
  }

  it('returns the oldest runs first, each once', async () => {
    const ids = await recordRuns(5);
    const first = await claim(2);
    const second = await claim(10);
    expect(first.map((input) => input.run.id)).toEqual(ids.slice(0, 2));
    expect(second.map((input) => input.run.id)).toEqual(ids.slice(2));
    expect(await claim(10)).toEqual([]);
  });

  it('returns with a claim everything for an attempt, as it was when the delivery was received', async () => {
    const webhook = buildWebhook({ name: 'ci' });
    const automation = buildAutomation({ prompt: 'Then.', agent: 'reviewer', overrides: { model: 'large' } });
    const applied = await applyFactory(opened.storage, { webhooks: [webhook], automations: [automation] });
    const runs = [{ automation: 'fix-errors', version: applied.automations[0]!.version }];
    const offer = buildOffer({
      webhook: applied.webhooks[0]!.ref,
      key: 'evt-1',
      body: '{"n": 1e400}',
      runs,
      event: 'build.failed',
    });
    const expected = { delivery: offer.id, run: offer.runs[0]!.id };
    await opened.storage.deliveryLog.record([offer]);
    await applyFactory(opened.storage, { revision: 'newer', automations: [buildAutomation({ prompt: 'Now.' })] });

    const [input] = await claim(1);
    expect(input).toEqual({
      run: {
        id: expected.run,
        factory: FACTORY,
        automation: 'fix-errors',
        delivery: expected.delivery,
        webhookUid: webhook.uid,
        deliveryIdentity: 'evt-1',
        state: 'running',
        attempt: 1,
        executor: 'command',
        revision: 'c0ffee',
        error: null,
        exitCode: null,
        createdAt: START_MS,
        startedAt: AT,
        finishedAt: null,
        gate: null,
        concurrencyKey: null,
        runsOn: null,
        supersededBy: null,
        output: null,
        notBefore: null,
        traceContext: null,
      },
      webhook: { name: 'ci', uid: webhook.uid },
      origin: { filters: [], headers: {}, webhook: { serves: null, signatureScheme: null } },
      prompt: 'Then.',
      agent: 'reviewer',
      workspace: null,
      overrides: { model: 'large' },
      event: 'build.failed',
      standsFor: { count: 0, deliveries: [] },
      queuedAt: START_MS,
      payload: expect.anything(),
    });
    expect(Buffer.from(input!.payload).toString()).toBe('{"n": 1e400}');
    expect(await reader().input(expected.run)).toEqual(input);
  });

  it('returns the positions of queued runs in the queue of their factory', async () => {
    const [running, first, second, third] = await recordRuns(4);
    await claim(1);
    const runs = [third!, running!, first!, UNKNOWN] as const;
    expect(await reader().queuePositions({ factory: FACTORY, runs })).toEqual(
      new Map([
        [first, 1],
        [third, 3],
      ]),
    );
    await queue().cancelQueued({ id: second!, at: AT });
    expect(await reader().queuePositions({ factory: FACTORY, runs: [third!] })).toEqual(new Map([[third, 2]]));
    expect(await reader().queuePositions({ factory: 'other', runs: [third!] })).toEqual(new Map());
  });

  it('does not change runs of other factories', async () => {
    await recordRuns(1);
    await opened.storage.inventory.register('other', START_MS);
    expect(await claim(10, 'other')).toEqual([]);
    expect(await claim(10)).toHaveLength(1);
  });

  it('ends an attempt once', async () => {
    const [id] = await recordRuns(1);
    await claim(1);
    const failed = { state: 'failed', error: 'exit code 3', exitCode: 3 } as const;
    expect(await queue().finish({ id: id!, attempt: 1, result: failed, at: AT + 5 })).toEqual(ENDED);
    const ended = await reader().get(id!);
    expect(ended).toMatchObject({ state: 'failed', error: 'exit code 3', exitCode: 3, finishedAt: AT + 5 });
    expect(await queue().finish({ id: id!, attempt: 1, result: SUCCEEDED, at: AT + 9 })).toBeNull();
    expect(await reader().get(id!)).toEqual(ended);
  });

  it('finds the end that a repeated request recorded, and no other', async () => {
    const [id] = await recordRuns(1);
    await claim(1);
    const end = { id: id!, attempt: 1, result: SUCCEEDED, at: START_MS + 9 };
    expect(await queue().finish(end)).toEqual({ nextAttemptAt: null });
    expect(await queue().finish(end)).toEqual({ nextAttemptAt: null });
    expect(await queue().finish({ ...end, at: START_MS + 10 })).toBeNull();
    expect(await queue().finish({ ...end, result: { state: 'failed', error: 'timeout', exitCode: null } })).toBeNull();
  });

  it('does not change a run that is not running in that attempt', async () => {
    const [queued, running] = await recordRuns(2);
    await queue().cancelQueued({ id: queued!, at: AT });
    await claim(1);
    const before = [await reader().get(queued!), await reader().get(running!)];
    expect(await queue().finish({ id: queued!, attempt: 1, result: SUCCEEDED, at: AT })).toBeNull();
    expect(await queue().finish({ id: running!, attempt: 2, result: SUCCEEDED, at: AT })).toBeNull();
    expect(await queue().finish({ id: UNKNOWN, attempt: 1, result: SUCCEEDED, at: AT })).toBeNull();
    expect(await queue().release({ id: queued!, attempt: 1 })).toBe(false);
    expect(await queue().release({ id: running!, attempt: 2 })).toBe(false);
    expect(await queue().retryFailed({ id: queued!, attempt: 1, error: 'interrupted', at: AT })).toBe(false);
    expect(await queue().retryFailed({ id: running!, attempt: 2, error: 'interrupted', at: AT })).toBe(false);
    expect([await reader().get(queued!), await reader().get(running!)]).toEqual(before);
  });

  it.each([1, 2])('queues a run again as attempt %i', async (nextAttempt) => {
    const [id] = await recordRuns(1);
    await claim(1);
    const request = { id: id!, attempt: 1 };
    const isQueued =
      nextAttempt === 1 ? queue().release(request) : queue().retryFailed({ ...request, error: 'interrupted', at: AT });
    expect(await isQueued).toBe(true);
    const queued = { state: 'queued', attempt: nextAttempt, executor: null, startedAt: null };
    expect(await reader().get(id!)).toMatchObject(queued);
    const [again] = await claim(1);
    expect(again!.run).toMatchObject({ id, state: 'running', attempt: nextAttempt });
  });

  it('returns a released run to the front of the queue, with the time of its release', async () => {
    const [oldest] = await recordRuns(3);
    await claim(1);
    await queue().retryFailed({ id: oldest!, attempt: 1, error: 'interrupted', at: AT + 7 });
    expect(await claim(1)).toMatchObject([{ run: { id: oldest }, queuedAt: AT + 7 }]);
  });

  it('cancels only queued runs', async () => {
    const [running, queued] = await recordRuns(2);
    await claim(1);
    expect(await queue().cancelQueued({ id: queued!, at: AT })).toBe(true);
    expect(await reader().get(queued!)).toMatchObject({ state: 'cancelled', startedAt: null, finishedAt: AT });
    expect(await queue().cancelQueued({ id: queued!, at: AT })).toBe(false);
    expect(await queue().cancelQueued({ id: running!, at: AT })).toBe(false);
    expect(await queue().cancelQueued({ id: UNKNOWN, at: AT })).toBe(false);
    expect(await claim(5)).toEqual([]);
  });

  it.each([SUCCEEDED, { state: 'failed', error: 'exit code 3', exitCode: 3 }] as const)(
    'retries a run that has ended as $state',
    async (result) => {
      const [id] = await recordRuns(1);
      await claim(1);
      expect(await queue().retry({ id: id!, requestedBy: ALICE, at: AT + 6 })).toBe('unfinished');
      await queue().finish({ id: id!, attempt: 1, result, at: AT + 5 });
      expect(await queue().retry({ id: id!, requestedBy: ALICE, at: AT + 6 })).toBe('queued');
      expect(await reader().get(id!)).toMatchObject({
        state: 'queued',
        attempt: 2,
        executor: null,
        error: null,
        exitCode: null,
        startedAt: null,
        finishedAt: null,
      });
      expect(await queue().retry({ id: id!, requestedBy: ALICE, at: AT + 6 })).toBe('unfinished');
      expect((await claim(1))[0]!.run).toMatchObject({ id, state: 'running', attempt: 2 });
    },
  );

  it('stores each attempt when it starts or is requested, and how it ended', async () => {
    const [id, other] = await recordRuns(2);
    expect(await reader().attempts([id!])).toEqual(new Map());
    await queue().claim({ factory: FACTORY, executor: 'queue', limit: 1, at: AT, worker: 'build-machine' });
    await queue().retryFailed({ id: id!, attempt: 1, error: 'interrupted', at: AT + 1 });
    await queue().claim({ factory: FACTORY, executor: 'command', limit: 1, at: AT + 2 });
    await queue().noteLogOffset({ id: id!, attempt: 2, offset: 900 });
    const failed = { state: 'failed', error: 'exit code 3', exitCode: 3 } as const;
    await queue().finish({ id: id!, attempt: 2, result: failed, at: AT + 3 });
    await queue().retry({ id: id!, requestedBy: ALICE, at: AT + 4 });
    await queue().cancelQueued({ id: id!, at: AT + 5 });

    const unheld = { heldUntil: null, progress: null, output: null };
    const first = { number: 1, requestedAt: null, requestedBy: null, startedAt: AT, finishedAt: AT + 1, logOffset: 0 };
    const second = { number: 2, requestedAt: AT + 1, requestedBy: null, startedAt: AT + 2, finishedAt: AT + 3 };
    const third = { number: 3, requestedAt: AT + 4, requestedBy: ALICE, startedAt: null, finishedAt: AT + 5 };
    const interrupted = { state: 'failed', error: 'interrupted', exitCode: null };
    const cancelled = { state: 'cancelled', error: 'cancelled', exitCode: null, logOffset: null };
    expect(await reader().attempts([id!, other!, UNKNOWN])).toEqual(
      new Map([
        [
          id,
          [
            { ...first, ...unheld, ...interrupted, executor: 'queue', worker: 'build-machine' },
            { ...second, ...unheld, ...failed, executor: 'command', worker: null, logOffset: 900 },
            { ...third, ...unheld, ...cancelled, executor: null, worker: null },
          ],
        ],
      ]),
    );
  });

  it('starts a released attempt again as the same attempt', async () => {
    const [id] = await recordRuns(1);
    await claim(1);
    await queue().release({ id: id!, attempt: 1 });
    expect((await reader().attempts([id!])).get(id!)).toMatchObject([{ number: 1, state: 'queued', startedAt: null }]);
    await claim(1);
    expect((await reader().attempts([id!])).get(id!)).toMatchObject([{ number: 1, state: 'running', startedAt: AT }]);
  });

  it('retries a cancelled run, but no unknown run', async () => {
    const [id] = await recordRuns(1);
    await queue().cancelQueued({ id: id!, at: AT });
    expect(await queue().retry({ id: id!, requestedBy: ALICE, at: AT + 6 })).toBe('queued');
    expect(await queue().retry({ id: UNKNOWN, requestedBy: ALICE, at: AT })).toBe('not_found');
  });

  it('does not retry a run whose payload was removed', async () => {
    // The newest delivery is never removed.
    const [id] = await recordRuns(2);
    await queue().cancelQueued({ id: id!, at: AT });
    await opened.storage.retention.prune(
      { deliveriesMs: 0, minDeliveries: 0, identitiesMs: 0, runsMs: 1e12, auditMs: 0, secretVersionsMs: 0 },
      AT + 9,
    );
    expect(await reader().input(id!)).toBeNull();
    expect(await queue().retry({ id: id!, requestedBy: ALICE, at: AT + 6 })).toBe('payload_gone');
    expect(await reader().get(id!)).toMatchObject({ state: 'cancelled', attempt: 1 });
  });

  it('lists the runs that a daemon left running, also after it is reopened', async () => {
    const [first, second] = await recordRuns(3);
    await claim(2);
    await opened.reopen();
    expect((await queue().running('command')).map(({ run }) => run.id)).toEqual([first, second]);
    expect(await queue().running('http')).toEqual([]);
  });

  it('lists the running runs that a receiver has accepted, and the others', async () => {
    const [accepted, other] = await recordRuns(2);
    await claim(2);
    const heldUntil = AT + 60_000;
    const held = { id: accepted!, attempt: 1 };
    expect(await queue().accept({ ...held, attempt: 2, heldUntil })).toBe(false);
    expect(await queue().accept({ ...held, heldUntil })).toBe(true);
    await opened.reopen();
    expect(await queue().accepted()).toMatchObject([{ run: { id: accepted, state: 'running' }, heldUntil }]);
    expect((await queue().running('command')).map(({ run }) => run.id)).toEqual([other]);
    const progress = { percent: 40, text: 'building' };
    await queue().noteProgress({ ...held, progress });
    await queue().finish({ ...held, result: SUCCEEDED, at: AT + 1 });
    await queue().noteProgress({ ...held, progress: { percent: 100, text: null } });
    expect((await reader().attempts([accepted!])).get(accepted!)).toMatchObject([{ heldUntil, progress }]);
    expect(await queue().accepted()).toEqual([]);
    expect(await queue().accept({ ...held, heldUntil })).toBe(false);
  });

  it('finds the attempt of a token of a run by its hash, up to 10 for each attempt', async () => {
    const [run, other] = await recordRuns(2);
    const { runTokens } = opened.storage;
    const hash = (n: number) => Buffer.alloc(32, n);
    await runTokens.insert({ run: other!, attempt: 1, hash: hash(99) });
    for (let n = 1; n <= 12; n++) await runTokens.insert({ run: run!, attempt: 1, hash: hash(n) });
    await runTokens.insert({ run: run!, attempt: 2, hash: hash(50) });
    await runTokens.insert({ run: UNKNOWN, attempt: 1, hash: hash(60) });
    const found = await Promise.all([1, 2, 3, 12, 50, 60, 99].map((n) => runTokens.findByHash(hash(n))));
    expect(found.map((holder) => holder && [holder.run, holder.attempt])).toEqual([
      null,
      null,
      [run, 1],
      [run, 1],
      [run, 2],
      null,
      [other, 1],
    ]);
    expect(found[2]).toEqual({ run, factory: FACTORY, attempt: 1 });
  });

  it('lists runs newest first, by state and by automation, in pages', async () => {
    const automations = [buildAutomation({ name: 'a' }), buildAutomation({ name: 'b' })];
    const applied = await applyFactory(opened.storage, { webhooks: [buildWebhook()], automations });
    const runs = applied.automations.map(({ name, version }) => ({ automation: name, version }));
    const offers = [1, 2, 3].map(() => buildOffer({ webhook: applied.webhooks[0]!.ref, runs }));
    const [a, b] = [0, 1].map((place) => offers.map((offer) => offer.runs[place]!.id));
    await opened.storage.deliveryLog.record(offers);
    await claim(3);
    const list = async (state: RunState | null, automation: string | null, cursor: string | null = null) =>
      reader().list({
        factory: FACTORY,
        state: state ?? undefined,
        automation: automation ?? undefined,
        limit: 2,
        cursor,
      });
    const idsOf = (page: Awaited<ReturnType<typeof list>>) => page.data.map((run) => run.id);

    const first = await list(null, null);
    expect(idsOf(first)).toEqual([b![2], a![2]]);
    expect(idsOf(await list(null, null, first.nextCursor))).toEqual([b![1], a![1]]);
    expect(idsOf(await list('running', null))).toEqual([a![1], b![0]]);
    expect(idsOf(await list('queued', 'b'))).toEqual([b![2], b![1]]);
    expect(idsOf(await list(null, 'a'))).toEqual([a![2], a![1]]);
    expect(await list('failed', null)).toEqual({ data: [], nextCursor: null });
  });

  it('finds runs by delivery, webhook, revision and time', async () => {
    const webhooks = [buildWebhook({ name: 'one' }), buildWebhook({ name: 'two' })];
    const applied = await applyFactory(opened.storage, { webhooks, automations: [buildAutomation({ name: 'a' })] });
    const runs = [{ automation: 'a', version: applied.automations[0]!.version }];
    const [one, two] = applied.webhooks.map(({ ref, uid }) => ({ ref, uid }));
    const offers = [
      buildOffer({ webhook: one!.ref, runs }),
      { ...buildOffer({ webhook: two!.ref, runs, at: START_MS + 1000 }), revision: 'feed5' },
    ];
    await opened.storage.deliveryLog.record(offers);
    const [early, late] = offers.map((offer) => offer.runs[0]!.id);
    const list = async (search: Omit<RunSearch, 'factory'>) => {
      const found = (await reader().list({ factory: FACTORY, ...search, limit: 9, cursor: null })).data;
      const { count } = await reader().count({ factory: FACTORY, ...search, cursor: null });
      expect(count).toBe(found.length);
      return found.map(({ id }) => id);
    };
    expect(await list({ delivery: offers[0]!.id })).toEqual([early]);
    expect(await list({ webhook: 'two' })).toEqual([late]);
    expect(await list({ webhook: one!.uid })).toEqual([early]);
    expect(await list({ revision: 'c0ff' })).toEqual([early]);
    expect(await list({ revision: 'feed5', state: 'queued' })).toEqual([late]);
    expect(await list({ sinceAt: START_MS + 500 })).toEqual([late]);
    expect(await list({ delivery: offers[0]!.id, webhook: 'two' })).toEqual([]);
    expect(await list({ delivery: 'dlv_00000000000000000000000000' })).toEqual([]);
  });

  it('examines a limited number of runs for a page, and continues behind them', async () => {
    const { webhook, version } = await applyOneOfEach(opened.storage);
    const first = buildOffer({ webhook, body: 'first', runs: [{ automation: 'fix-errors', version }] });
    const oldest = first.runs[0]!.id;
    await opened.storage.deliveryLog.record([first]);
    const others = Array.from({ length: MAX_EXAMINED_RUNS }, (_, index) =>
      buildOffer({ webhook, body: `o${index}`, runs: [{ automation: 'other', version }] }),
    );
    await opened.storage.deliveryLog.record(others);
    const search = { factory: FACTORY, automation: 'fix-errors', limit: 9 };
    const empty = await reader().list({ ...search, cursor: null });
    expect(empty.data).toEqual([]);
    expect(await reader().count({ ...search, cursor: null })).toEqual({ count: 0, nextCursor: empty.nextCursor });
    expect(await reader().count({ ...search, cursor: empty.nextCursor })).toEqual({ count: 1, nextCursor: null });
    const all = await reader().count({ factory: FACTORY, state: 'queued', cursor: null });
    expect(all).toEqual({ count: MAX_EXAMINED_RUNS, nextCursor: expect.any(String) });
    const second = await reader().list({ ...search, cursor: empty.nextCursor });
    expect([second.data.map(({ id }) => id), second.nextCursor]).toEqual([[oldest], null]);
  });

  it('returns null for an unknown run', async () => {
    expect(await reader().get(UNKNOWN)).toBeNull();
    expect(await reader().input(UNKNOWN)).toBeNull();
  });
});

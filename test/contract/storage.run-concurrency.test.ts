import { beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import type { ConcurrencyPolicy } from '../../src/domain/runs/run-policy.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const AT = START_MS + 1000;
const SUCCEEDED = { state: 'succeeded', error: null, exitCode: 0 } as const;
const CANCELLED = { state: 'cancelled', error: 'cancelled', exitCode: null } as const;
const FAILED = { state: 'failed', error: 'exit code 1', exitCode: 1 } as const;

describe.each(STORAGES)('runs with concurrency keys on $name', (kind) => {
  const opened = useStorage(kind);
  const queue = () => opened.storage.runQueue;
  const read = async (id: RunId) => (await opened.storage.runReader.get(id))!;
  const claimAll = () => queue().claim({ factory: FACTORY, executor: 'command', limit: 10, at: AT });
  const claim = async () => (await claimAll()).inputs.map(({ run }) => run.id);
  const finish = (id: RunId, attempt = 1) => queue().finish({ id, attempt, result: SUCCEEDED, at: AT });

  let webhook: number;
  let version: number;
  let bodies = 0;
  beforeEach(async () => {
    webhook = (await applyFactory(opened.storage, { webhooks: [buildWebhook()] })).webhooks[0]!.ref;
  });

  async function declare(concurrency: ConcurrencyPolicy | null, more = {}): Promise<void> {
    const automations = [buildAutomation({ concurrency, ...more })];
    version = (await applyFactory(opened.storage, { automations })).automations[0]!.version;
  }

  /** Records one delivery with a run for each of these keys; `null` for a run without a key. */
  async function record(...keys: (string | null)[]): Promise<RunId[]> {
    const offers = keys.map((key) => {
      bodies += 1;
      const run = { automation: 'fix-errors', version, ...(key === null ? {} : { concurrencyKey: key }) };
      return buildOffer({ webhook, body: `${bodies}`, runs: [run] });
    });
    await opened.storage.deliveryLog.record(offers);
    return offers.map((offer) => offer.runs[0]!.id);
  }

  it('wait for the end of those with the same key, and start in their order', async () => {
    await declare({ key: 'pr' });
    const [first, other, second, third] = (await record('["1"]', '["2"]', '["1"]', '["1"]')) as [
      RunId,
      RunId,
      RunId,
      RunId,
    ];
    expect(await claim()).toEqual([first, other]);
    expect(await read(second)).toMatchObject({ state: 'queued', gate: 'concurrency', concurrencyKey: '["1"]' });
    expect(await claim()).toEqual([]);
    await finish(other);
    expect(await claim()).toEqual([]);
    await finish(first);
    expect(await claim()).toEqual([second]);
    await queue().finish({ id: second, attempt: 1, result: FAILED, at: AT });
    expect(await claim()).toEqual([third]);
  });

  it('do not keep runs without a key, or of other automations, from starting', async () => {
    await declare({ limit: 2 });
    const [one, two] = (await record('[]', '[]', '[]', '[]')) as [RunId, RunId];
    expect(await claim()).toEqual([one, two]);
    await declare(null);
    expect(await claim()).toEqual([]);
    const [free] = await record(null);
    expect(await claim()).toEqual([free]);
  });

  it('use a higher limit of a newer definition for the run that waits longest', async () => {
    await declare({ key: 'pr' });
    const [first, second] = await record('["1"]', '["1"]');
    expect(await claim()).toEqual([first]);
    await declare({ key: 'pr', limit: 2 });
    const [third] = await record('["1"]');
    expect(await claim()).toEqual([second]);
    await finish(first!);
    expect(await claim()).toEqual([third]);
  });

  it('of mode latest replace those that wait, and cancel running ones only with cancelRunning', async () => {
    await declare({ key: 'pr', mode: 'latest' });
    const [running] = await record('["1"]');
    expect(await claim()).toEqual([running]);
    const [waiting, other, latest] = (await record('["1"]', '["2"]', '["1"]')) as [RunId, RunId, RunId];
    expect(await queue().admit({ factory: FACTORY, at: AT })).toEqual({ ended: [waiting], cancel: [] });
    expect(await read(waiting)).toMatchObject({ state: 'cancelled', error: 'superseded', supersededBy: latest });
    expect(await read(running!)).toMatchObject({ state: 'running', supersededBy: null });
    expect(await claim()).toEqual([other]);
    await finish(running!);
    expect(await claim()).toEqual([latest]);

    await declare({ key: 'pr', mode: 'latest', cancelRunning: true });
    const [newest] = await record('["1"]');
    const admitted = await claimAll();
    expect(admitted).toMatchObject({ inputs: [], ended: [], cancel: [latest] });
    await queue().finish({ id: latest, attempt: 1, result: CANCELLED, at: AT });
    expect(await read(latest)).toMatchObject({ state: 'cancelled', error: 'superseded', supersededBy: newest });
    expect(await claim()).toEqual([newest]);
  });

  it('that were superseded are not started again by a retry, a release or a failed start', async () => {
    const policy = { key: 'pr', mode: 'latest', cancelRunning: true } as const;
    await declare(policy, { retry: { maxAttempts: 3, backoff: '1s' } });
    for (const leave of ['finish', 'release', 'retryFailed'] as const) {
      const [old] = (await record(`["${leave}"]`)) as [RunId];
      expect(await claim()).toEqual([old]);
      const [next] = await record(`["${leave}"]`);
      await queue().admit({ factory: FACTORY, at: AT });
      if (leave === 'finish') await queue().finish({ id: old, attempt: 1, result: FAILED, at: AT });
      else if (leave === 'release') await queue().release({ id: old, attempt: 1 });
      else await queue().retryFailed({ id: old, attempt: 1, error: 'no memory', at: AT });
      expect(await claim()).toEqual([next]);
      const state = leave === 'finish' ? 'failed' : 'cancelled';
      expect(await read(old)).toMatchObject({ state, supersededBy: next });
      await finish(next!);
    }
  });

  it('of mode skip end without a start while others with their key have not ended', async () => {
    await declare({ key: 'pr', mode: 'skip' });
    const [first, skipped] = (await record('["1"]', '["1"]')) as [RunId, RunId];
    expect(await claim()).toEqual([first]);
    expect(await read(skipped)).toMatchObject({ state: 'cancelled', error: 'skipped' });
    const requestedBy = { kind: 'local', id: 'usr_a', name: 'alice' } as const;
    expect(await queue().retry({ id: skipped, requestedBy, at: AT })).toBe('queued');
    expect(await claim()).toEqual([]);
    await finish(first);
    expect(await claim()).toEqual([skipped]);
    await finish(skipped, 2);
    expect(await claim()).toEqual([]);
    const [later] = await record('["1"]');
    expect(await claim()).toEqual([later]);
  });

  it('let the next one start when the one before it is cancelled before its start', async () => {
    await declare({ key: 'pr' });
    const [first, second, third] = (await record('["1"]', '["1"]', '["1"]')) as [RunId, RunId, RunId];
    expect(await claim()).toEqual([first]);
    await finish(first);
    await queue().cancelQueued({ id: second, at: AT });
    expect(await claim()).toEqual([third]);
  });

  it('have a position among those that wait for their key', async () => {
    await declare({ key: 'pr' });
    const runs = await record('["1"]', '["1"]', '["2"]', '["1"]', '["2"]');
    await queue().admit({ factory: FACTORY, at: AT });
    const positions = await opened.storage.runReader.queuePositions({ factory: FACTORY, runs });
    expect(runs.map((run) => positions.get(run))).toEqual([1, 1, 2, 2, 1]);
  });

  it('do not all become candidates of a claim when their key is crowded', async () => {
    await declare({ key: 'pr', limit: 2 });
    const runs = await record('["1"]', '["1"]', '["1"]', '["1"]');
    await queue().admit({ factory: FACTORY, at: AT });
    const gates = await Promise.all(runs.map(async (id) => (await read(id)).gate));
    expect(gates).toEqual([null, null, 'concurrency', 'concurrency']);
  });

  it('and with labels are only claimed for workers that have all of them, in their order', async () => {
    await declare({ key: 'pr', limit: 9 });
    const offers = [null, ['linux', 'gpu'], ['gpu'], null, ['gpu', 'linux']].map((runsOn) => {
      bodies += 1;
      const run = { automation: 'fix-errors', version, ...(runsOn === null ? {} : { runsOn }) };
      return buildOffer({ webhook, body: `${bodies}`, runs: [run] });
    });
    await opened.storage.deliveryLog.record(offers);
    const [plain, both, gpu, last, alsoBoth] = offers.map((offer) => offer.runs[0]!.id) as [RunId, ...RunId[]];
    expect(await read(both!)).toMatchObject({ runsOn: ['gpu', 'linux'] });
    const claimAs = async (labels: string[], limit: number) => {
      const claimed = await queue().claim({ factory: FACTORY, executor: 'queue', limit, labels, at: AT });
      return claimed.inputs.map(({ run }) => run.id);
    };
    expect(await claimAs(['linux'], 1)).toEqual([plain]);
    expect(await claimAs(['gpu', 'linux', 'x64'], 2)).toEqual([both, gpu]);
    expect(await claim()).toEqual([last]);
    expect(await claimAs(['gpu'], 9)).toEqual([]);
    expect(await claimAs(['linux', 'gpu'], 9)).toEqual([alsoBoth]);
  });
});

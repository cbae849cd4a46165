import { beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import type { RunResult } from '../../src/domain/resources/run.ts';
import type { RetryPolicy } from '../../src/domain/runs/run-policy.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const AT = START_MS + 1000;
const exit = (exitCode: number): RunResult => ({ state: 'failed', error: `exit code ${exitCode}`, exitCode });
const TIMEOUT: RunResult = { state: 'failed', error: 'timeout', exitCode: null };

describe.each(STORAGES)('automatic retries on $name', (kind) => {
  const opened = useStorage(kind);
  const queue = () => opened.storage.runQueue;
  const claim = (at: number) => queue().claim({ factory: FACTORY, executor: 'command', limit: 1, at });

  let webhook: number | null = null;
  let bodies = 0;
  beforeEach(() => {
    webhook = null;
  });

  /** Starts the first attempt of a run of an automation with this `retry`. */
  async function startRun(retry: RetryPolicy | null): Promise<RunId> {
    webhook ??= (await applyFactory(opened.storage, { webhooks: [buildWebhook()] })).webhooks[0]!.ref;
    const { automations } = await applyFactory(opened.storage, { automations: [buildAutomation({ retry })] });
    const runs = [{ automation: 'fix-errors', version: automations[0]!.version }];
    bodies += 1;
    await opened.storage.deliveryLog.record([buildOffer({ webhook, runs, body: `${bodies}` })]);
    const { inputs } = await claim(AT);
    return inputs[0]!.run.id;
  }

  it('queue a failed attempt again, and give it out when its time has come', async () => {
    const id = await startRun({ maxAttempts: 3, backoff: '10s' });
    const end = await queue().finish({ id, attempt: 1, result: exit(1), at: AT });
    const next = end!.nextAttemptAt!;
    expect(next).toBeGreaterThanOrEqual(AT + 8000);
    expect(next).toBeLessThanOrEqual(AT + 12_000);
    const run = await opened.storage.runReader.get(id);
    expect(run).toMatchObject({ state: 'queued', attempt: 2, gate: 'backoff', notBefore: next });
    expect(await claim(next - 1)).toMatchObject({ inputs: [], nextAt: next });
    const { inputs, nextAt } = await claim(next);
    expect([inputs[0]!.run, nextAt]).toMatchObject([{ id, attempt: 2, gate: null, notBefore: null }, null]);
    expect((await opened.storage.runReader.attempts([id])).get(id)).toMatchObject([
      { number: 1, state: 'failed', error: 'exit code 1', exitCode: 1 },
      { number: 2, state: 'running', requestedAt: AT, requestedBy: null },
    ]);
  });

  it('end with the last attempt, with an exit code that excludes them, and with other failures', async () => {
    const last = await startRun({ maxAttempts: 2, on: ['failed'], noRetryExitCodes: [78] });
    await queue().finish({ id: last, attempt: 1, result: exit(1), at: AT });
    await claim(AT + 60_000);
    expect(await queue().finish({ id: last, attempt: 2, result: exit(1), at: AT })).toEqual({ nextAttemptAt: null });
    for (const result of [exit(78), TIMEOUT, { ...exit(0), state: 'cancelled' } as const]) {
      const id = await startRun({ maxAttempts: 2, on: ['failed'], noRetryExitCodes: [78] });
      expect(await queue().finish({ id, attempt: 1, result, at: AT })).toEqual({ nextAttemptAt: null });
      expect(await opened.storage.runReader.get(id)).toMatchObject({ state: result.state, gate: null });
    }
  });

  it('follow the terms of the caller if the automation declares none', async () => {
    const otherwise = {
      maxAttempts: 2,
      backoff: { firstMs: 0, maxMs: 0 },
      on: ['timeout'],
      noRetryExitCodes: [],
    } as const;
    const id = await startRun(null);
    const end = await queue().finish({ id, attempt: 1, result: TIMEOUT, at: AT, otherwise });
    expect([end, (await claim(AT)).inputs]).toMatchObject([{ nextAttemptAt: AT }, [{ run: { id, attempt: 2 } }]]);
    const strict = await startRun({ maxAttempts: 2, on: ['failed'] });
    const ended = await queue().finish({ id: strict, attempt: 1, result: TIMEOUT, at: AT, otherwise });
    expect(ended).toEqual({ nextAttemptAt: null });
  });

  it('start immediately if a user requests it, and not at all after a cancellation', async () => {
    const id = await startRun({ maxAttempts: 5 });
    await queue().finish({ id, attempt: 1, result: exit(1), at: AT });
    expect(await queue().cancelQueued({ id, at: AT })).toBe(true);
    expect(await claim(AT + 3_600_000)).toMatchObject({ inputs: [], nextAt: null });
    const requestedBy = { kind: 'local', id: 'usr_a', name: 'alice' } as const;
    expect(await queue().retry({ id, requestedBy, at: AT })).toBe('queued');
    expect((await claim(AT)).inputs).toMatchObject([{ run: { id, attempt: 3 } }]);
  });
});

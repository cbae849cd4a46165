import { afterEach, expect, it } from 'vitest';
import { ListenerIndex } from '../../src/definitions/filter/listeners/listener-index.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { DeliveryLog } from '../../src/domain/ports/delivery-log.ts';
import { startIngress, type TestIngress } from '../helpers/start-ingress.ts';

const UNAVAILABLE =
  '{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"the delivery was not stored, send it again"}';

let ingress: TestIngress;

afterEach(() => ingress.close());

it('returns 503 with Retry-After, never 4xx, if the storage cannot write, and accepts the retry', async () => {
  let failure: Error | null = new AppError('storage_unavailable', 'disk full');
  const wrapLog = (log: DeliveryLog): DeliveryLog => ({
    record: async (batch) => {
      if (failure !== null) throw failure;
      return log.record(batch);
    },
  });
  ingress = await startIngress({ wrapLog, automations: [{ name: 'run-it', webhook: 'hook' }] });
  const answer = await ingress.post('hook', { body: '{}' });
  expect(answer).toMatchObject({ status: 503, body: UNAVAILABLE, headers: { 'retry-after': '5' } });
  expect(ingress.seen).toMatchObject({
    rejections: ['storage'],
    trouble: [{ message: failure.message }],
    wakened: [],
    labels: [],
  });
  // Checks before the storage are unchanged.
  expect((await ingress.post('hook', { body: '{bad' })).status).toBe(400);
  expect((await ingress.post(ingress.path(), { body: '{}' })).status).toBe(401);

  failure = null;
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(202);
  expect((await ingress.deliveries()).map(({ label }) => label)).toEqual(['Accepted']);
});

it('a retry after a lost answer gets the same answer (threat model D5)', async () => {
  let isLost = true;
  const wrapLog = (log: DeliveryLog): DeliveryLog => ({
    record: async (batch) => {
      const outcomes = await log.record(batch);
      if (isLost) throw new AppError('storage_broken', 'the answer of the storage was lost');
      return outcomes;
    },
  });
  ingress = await startIngress({ wrapLog, automations: [{ name: 'run-it', webhook: 'hook' }] });
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(503);
  isLost = false;
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(202);
  const rows = await ingress.deliveries();
  expect(rows.map(({ label }) => label)).toEqual(['Duplicate', 'Accepted']);
  expect(rows.flatMap(({ runs }) => runs)).toHaveLength(1);
});

it('a single entry that could not be written gets 503 and does not affect others', async () => {
  const wrapLog = (log: DeliveryLog): DeliveryLog => ({
    record: async (batch) =>
      (await log.record(batch)).map((outcome, index) => {
        const entry = batch[index]!;
        const isChosen = entry.identity?.value === 'poison';
        return isChosen ? { label: null, message: 'rejected by the schema' } : outcome;
      }),
  });
  ingress = await startIngress({ wrapLog });
  const send = (id: string) => ingress.post('hook', { body: '{}', headers: { 'x-service-delivery-id': id } });
  const answers = await Promise.all(['a', 'poison', 'b'].map(send));
  expect(answers.map(({ status }) => status)).toEqual([202, 503, 202]);
  expect(ingress.seen.trouble).toMatchObject([{ message: 'rejected by the schema' }]);
});

it('a defect returns 503, is counted and reported as a defect, and does not end the process', async () => {
  ingress = await startIngress();
  const live = ingress.context.registry.current().webhooks.get(ingress.uid())!;
  const broken = new ListenerIndex();
  broken.match = () => {
    throw new TypeError('a bug');
  };
  ingress.context.registry.replaceFactory('payments', [{ ...live, listeners: broken }]);
  expect(await ingress.post('hook', { body: '{}' })).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(ingress.seen).toMatchObject({ rejections: ['internal'], trouble: [], defects: [{ message: 'a bug' }] });
  expect((await ingress.post('/healthz', { method: 'GET' })).status).toBe(200);
});

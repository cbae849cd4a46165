import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { parseRecordedHeaders } from '../../src/domain/resources/delivery.ts';
import { type ReplayContext, replayDelivery } from '../../src/ingress/replay/replay-delivery.ts';
import { startIngress, type TestAutomation, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

let ingress: TestIngress;

afterEach(() => ingress.close());

const AUTOMATIONS: TestAutomation[] = [
  { name: 'opened', webhook: 'hook', headers: { 'X-Event': ['pull'] }, payload: { action: ['opened'] } },
  { name: 'pushed', webhook: 'hook', headers: { 'x-event': { in: ['push'] }, 'X-Team': { exists: false } } },
  { name: 'other', webhook: 'hook', headers: { 'X-Event': { not_in: ['pull', 'push'] } } },
];

async function listStarted(headers: Record<string, string>, body = '{}'): Promise<string[]> {
  await ingress.post('hook', { headers: { ...headers, 'X-Service-Delivery-Id': `${Math.random()}` }, body });
  const [delivery] = await ingress.deliveries('hook');
  const runs = await Promise.all(delivery!.runs.map((id) => ingress.storage.runReader.get(id)));
  return runs.map((run) => run!.automation).sort();
}

describe('filters of headers', () => {
  it('start the automations whose headers and payload match', async () => {
    ingress = await startIngress({ automations: AUTOMATIONS });
    expect(await listStarted({ 'X-EVENT': 'pull' }, '{"action": "opened"}')).toEqual(['opened']);
    expect(await listStarted({ 'X-Event': 'pull' }, '{"action": "closed"}')).toEqual([]);
    expect(await listStarted({ 'X-Event': 'Pull' }, '{"action": "opened"}')).toEqual(['other']);
    expect(await listStarted({ 'X-Event': 'push' })).toEqual(['pushed']);
    expect(await listStarted({ 'X-Event': 'push', 'X-Team': 'a' })).toEqual([]);
    expect(await listStarted({})).toEqual(['other']);
  });

  it('record the tested headers, so that a replay gives the same result', async () => {
    ingress = await startIngress({ automations: AUTOMATIONS });
    await listStarted({ 'X-Event': 'push' });
    const [delivery] = await ingress.deliveries('hook');
    expect(parseRecordedHeaders(delivery!.headers)['x-event']).toBe('push');
    const { registry, recorder, clock, ids } = ingress.context;
    const context: ReplayContext = {
      registry,
      recorder,
      clock,
      ids,
      deliveries: ingress.storage.deliveryReader,
      tracer: null,
      onRunsCreated: () => {},
    };
    await replayDelivery(context, { delivery: delivery!, automation: null, clientAddress: '192.0.2.9' });
    const [replay] = await ingress.deliveries('hook');
    const runs = await Promise.all(replay!.runs.map((id) => ingress.storage.runReader.get(id)));
    expect(runs.map((run) => run!.automation)).toEqual(['pushed']);
  });

  it('can test a header without a value', async () => {
    ingress = await startIngress({ automations: [{ name: 'empty', webhook: 'hook', headers: { 'X-Team': [''] } }] });
    expect(await listStarted({ 'User-Agent': 'ci', 'X-Team': '' })).toEqual(['empty']);
    const [delivery] = await ingress.deliveries('hook');
    expect(parseRecordedHeaders(delivery!.headers)).toEqual({ 'user-agent': 'ci', 'x-team': '' });
  });

  it('never record the header of a custom signature', async () => {
    const signature = { header: 'X-Proof' };
    const custom = { authMode: 'signature' as const, signatureScheme: 'custom', signature };
    ingress = await startIngress({
      webhooks: [custom],
      automations: [{ name: 'curious', webhook: 'hook', headers: { 'X-Proof': { exists: true } } }],
    });
    const proof = createHmac('sha256', TOKEN).update('{}').digest('hex');
    await ingress.post(ingress.path(), { headers: { 'X-Proof': proof, 'User-Agent': 'ci' }, body: '{}' });
    const [delivery] = await ingress.deliveries('hook');
    expect(delivery!.label).toBe('Accepted');
    expect(parseRecordedHeaders(delivery!.headers)).toEqual({ 'user-agent': 'ci' });
  });

  it('follow an apply', async () => {
    ingress = await startIngress({ automations: [AUTOMATIONS[1]!] });
    await ingress.apply([{}], [{ name: 'pushed', webhook: 'hook', headers: { 'X-Team': ['a'] } }]);
    expect(await listStarted({ 'X-Event': 'push', 'X-Team': 'a' })).toEqual(['pushed']);
    const [delivery] = await ingress.deliveries('hook');
    expect(Object.keys(parseRecordedHeaders(delivery!.headers))).toEqual(['x-team']);
  });
});

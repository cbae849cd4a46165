import { describe, expect, it } from 'vitest';
import type { Trigger } from '../../src/domain/definitions/trigger.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const AT = START_MS + 1000;

describe.each(STORAGES)('the origin of a run on $name', (kind) => {
  const opened = useStorage(kind);
  const github = buildWebhook({ authMode: 'signature', signatureScheme: 'github' });
  const at = { line: 1, column: 1 };
  const listen = (...filters: JsonObject[]) => {
    const triggers = filters.map(
      (payload): Trigger => ({
        provider: 'webhook',
        event: 'received',
        webhookIds: [github.uid],
        webhooks: [],
        payload,
        at,
      }),
    );
    return buildAutomation({ triggers, listensTo: filters.map(() => [github.uid]) });
  };
  const apply = (...filters: JsonObject[]) =>
    applyFactory(opened.storage, { webhooks: [github], automations: [listen(...filters)] });

  it('has what was live when the delivery was evaluated, for a claim and for readers', async () => {
    const { webhooks, automations, applyNumber } = await apply({ action: ['opened'] }, { action: ['labeled'] });
    const runs = [{ automation: 'fix-errors', version: automations[0]!.version }];
    const headers = '{"x-github-event":"issues"}';
    const offer = { ...buildOffer({ webhook: webhooks[0]!.ref, headers, runs }), applyNumber };
    await opened.storage.deliveryLog.record([offer]);
    await apply({ action: ['closed'] });

    const origin = {
      webhook: { serves: null, signatureScheme: 'github' },
      headers: { 'x-github-event': 'issues' },
      filters: [{ payload: { action: ['opened'] } }, { payload: { action: ['labeled'] } }],
    };
    const claim = { factory: FACTORY, executor: 'command', limit: 1, at: AT };
    const { inputs } = await opened.storage.runQueue.claim(claim);
    expect(inputs.map((input) => input.origin)).toEqual([origin]);
    expect((await opened.storage.runReader.input(inputs[0]!.run.id))!.origin).toEqual(origin);
  });

  it('has no filters and no headers if none are stored', async () => {
    const { webhooks, automations } = await apply({ action: ['opened'] });
    const runs = [{ automation: 'fix-errors', version: automations[0]!.version }];
    const offer = { ...buildOffer({ webhook: webhooks[0]!.ref, runs }), applyNumber: 0 };
    await opened.storage.deliveryLog.record([offer]);
    const input = await opened.storage.runReader.input(offer.runs[0]!.id);
    expect(input!.origin).toMatchObject({ headers: {}, filters: [] });
  });
});

import { describe, expect, it } from 'vitest';
import { filterOf } from '../../src/domain/definitions/trigger.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import { backtestTriggers } from '../../src/reconcile/backtest-triggers.ts';
import { DEFAULT_BOUNDS } from '../../src/reconcile/plan/backtest.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer } from '../helpers/build-offer.ts';
import { SQLITE, useStorage } from '../helpers/with-storage.ts';

describe('triggers that are not saved yet', () => {
  const opened = useStorage(SQLITE);

  async function open() {
    const webhooks = [buildWebhook()];
    const { uid } = webhooks[0]!;
    const automations = [buildAutomation({ listensTo: [[uid]] })];
    const { ref: webhook } = (await applyFactory(opened.storage, { webhooks, automations })).webhooks[0]!;
    const at = Date.now() - 1000;
    const bodies = ['fatal', 'fatal', 'error', 'info'].map((level) => JSON.stringify({ level }));
    await opened.storage.deliveryLog.record(bodies.map((body) => buildOffer({ webhook, body, at })));
    const { inventory, storedPayloads: payloads } = opened.storage;
    const context = { inventory, payloads, bounds: DEFAULT_BOUNDS, clock: systemClock };
    const trigger = (payload: JsonObject | null, listensTo = [uid]) => ({
      listensTo,
      filter: filterOf({ payload }),
    });
    const test = async (automation: string | null, ...triggers: ReturnType<typeof trigger>[]) => {
      const backtest = await backtestTriggers(context, { factory: FACTORY, automation, triggers });
      const [one] = backtest.automations;
      return { examined: backtest.examined, before: one!.before, after: one!.after, lost: one!.lost };
    };
    return { uid: uid, trigger, test };
  }

  it('are compared with the applied ones of the automation, or with none', async () => {
    const { trigger, test } = await open();
    const changed = await test('fix-errors', trigger({ level: ['fatal'] }));
    expect(changed).toMatchObject({ examined: 4, before: 4, after: 2 });
    expect(changed.lost.map(({ path }) => path)).toEqual(['level', 'level']);
    expect(await test(null, trigger({ level: ['fatal'] }), trigger({ level: ['info'] }))).toMatchObject({
      before: 0,
      after: 3,
    });
  });

  it('start nothing from a disabled or deleted webhook', async () => {
    const { uid, trigger, test } = await open();
    expect(await test(null, trigger(null, ['wh_gone']))).toMatchObject({ examined: 0, after: 0 });
    await applyFactory(opened.storage, { deleteWebhooks: [uid], at: Date.now() });
    expect(await test(null, trigger(null))).toMatchObject({ examined: 0, after: 0 });
  });
});

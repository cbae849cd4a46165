import { describe, expect, it } from 'vitest';
import { ALERT_RULE_NAMES, type RuleSettings } from '../../src/domain/messages/alert-rules.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { scheduleCall } from '../../src/domain/time/schedule.ts';
import { AlertWatch } from '../../src/outbound/alerts/alert-watch.ts';
import { RequestTally } from '../../src/outbound/alerts/rules/request-tally.ts';
import { buildAlert } from '../helpers/build-alert.ts';
import { applyFactory, FACTORY } from '../helpers/build-apply.ts';
import { ids, START_MS } from '../helpers/build-offer.ts';
import { ENDLESS_TERM } from '../helpers/endless-term.ts';
import { eventually } from '../helpers/eventually.ts';
import { SQLITE, useStorage } from '../helpers/with-storage.ts';

const FAILED = {
  type: 'Reconciled',
  status: 'False',
  reason: 'ValidationFailed',
  message: '1 error',
  since: START_MS,
} as const;
const rules = Object.fromEntries(ALERT_RULE_NAMES.map((rule) => [rule, rule === 'applyFailed'])) as RuleSettings;
const logger: Logger = { info: () => {}, warn: () => {}, error: () => {}, child: () => logger };

describe('the alerts of a renamed factory', () => {
  const opened = useStorage(SQLITE);

  it('continue under its new name, also if that name has had the same alert', async () => {
    const { storage } = opened;
    await applyFactory(storage, { webhooks: [], automations: [] });
    await applyFactory(storage, { factory: 'shop', webhooks: [], automations: [] });
    const about = { rule: 'applyFailed', object: null, resolvedAt: null } as const;
    const [renamed, replaced] = [buildAlert(about), buildAlert({ ...about, factory: 'shop' })];
    await storage.alertStore.change({ opened: [renamed, replaced], changed: [], notices: [] });
    let nowMs = START_MS;
    let evaluations = 0;
    const watch = new AlertWatch({
      terms: () => ({
        intervalMs: 3_600_000,
        groupWaitMs: 0,
        repeatIntervalMs: 3_600_000,
        resolveAfterMs: 60_000,
        rules,
        targets: [],
      }),
      factories: () => ['shop'],
      sources: {
        reader: storage.alertReader,
        runs: storage.runReader,
        deliveries: storage.deliveryReader,
        factories: async () => {
          evaluations += 1;
          return [{ name: 'shop', conditions: [FAILED] }];
        },
        requests: new RequestTally(() => nowMs),
        probeProblem: () => null,
        notifyFailures: () => [],
        isActive: () => false,
        disks: async () => [],
        backupProblem: () => null,
        nowMs: () => nowMs,
      },
      store: storage.alertStore,
      onNotices: () => {},
      ids,
      clock: { wallMs: () => nowMs, monotonicMs: () => nowMs },
      schedule: scheduleCall,
      logger,
    });
    await watch.start(ENDLESS_TERM);
    await storage.factoryNames.rename({ from: FACTORY, to: 'shop', isHosted: false, at: START_MS });
    await watch.onFactoryRenamed();
    nowMs += 600_000;
    watch.reload();
    await eventually(() => evaluations >= 3);
    await watch.stop();
    expect(watch.counts()).toEqual([{ rule: 'applyFailed', factory: 'shop', count: 1 }]);
    expect(await storage.alertStore.active()).toMatchObject([{ id: renamed.id, factory: 'shop', clearSince: null }]);
  });
});

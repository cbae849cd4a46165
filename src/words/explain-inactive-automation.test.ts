import { describe, expect, it } from 'vitest';
import { explainInactiveAutomation } from './explain-inactive-automation.ts';

const ci = { uid: 'wh_1', name: 'ci', enabled: true };
const off = { uid: 'wh_2', name: 'off', enabled: false };
const webhookTrigger = (...uids: string[]) => {
  return { handled_elsewhere: false as const, listens_to: uids, filter: { webhook_ids: uids } };
};
const foreignTrigger = { handled_elsewhere: true as const, provider: 'github' };

describe('explainInactiveAutomation', () => {
  it('reports nothing if every trigger starts the automation', () => {
    const automation = { enabled: true, triggers: [webhookTrigger('wh_1')] };
    expect(explainInactiveAutomation(automation, [ci])).toEqual({ isInactive: false, reasons: [] });
  });

  it('reports a trigger for another provider in addition to a working webhook trigger', () => {
    const automation = { enabled: true, triggers: [webhookTrigger('wh_1'), foreignTrigger] };
    const reasons = ['The trigger for provider github is handled elsewhere.'];
    expect(explainInactiveAutomation(automation, [ci])).toEqual({ isInactive: false, reasons });
  });

  it('reports every reason for a disabled automation', () => {
    const automation = { enabled: false, triggers: [webhookTrigger('wh_2', 'wh_9'), foreignTrigger, foreignTrigger] };
    const reasons = [
      'The automation is disabled.',
      'The webhook off is disabled: senders get 404.',
      'The factory has no webhook with UID wh_9: it may have been deleted.',
      'The trigger for provider github is handled elsewhere.',
    ];
    expect(explainInactiveAutomation(automation, [ci, off])).toEqual({ isInactive: true, reasons });
  });

  it('reports an automation without webhook triggers as inactive', () => {
    const automation = { enabled: true, triggers: [foreignTrigger] };
    const reasons = ['The automation has no webhook trigger.', 'The trigger for provider github is handled elsewhere.'];
    expect(explainInactiveAutomation(automation, [])).toEqual({ isInactive: true, reasons });
  });
});

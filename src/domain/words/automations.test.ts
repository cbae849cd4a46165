import { describe, expect, it } from 'vitest';
import { explainInactiveAutomation, nameForApi, pickPolicy } from './automations.ts';

const ANSWER = {
  name: 'triage',
  concurrency: { key: 'issue.number', cancelRunning: true },
  debounce: null,
  retry: null,
  budget: null,
  runs_on: ['gpu'],
  workspace: null,
};
const DECLARED = { concurrency: { key: 'issue.number', cancelRunning: true }, runsOn: ['gpu'] };

it('the policy of an answer has the keys of the definition file', () => {
  expect(pickPolicy(ANSWER)).toEqual(DECLARED);
});

it('the keys of a definition file have the names of the API in a request', () => {
  const { concurrency } = DECLARED;
  expect(nameForApi({ ...DECLARED, agent: 'claude' })).toEqual({ concurrency, runs_on: ['gpu'], agent: 'claude' });
});

const ci = { uid: 'wh_1', name: 'ci', enabled: true };
const off = { uid: 'wh_2', name: 'off', enabled: false };
const webhookTrigger = (...uids: string[]) => {
  return { listens_to: uids, filter: { webhook_ids: uids } };
};
const unserved = {
  service: { trigger: 'github push', starts_here: false, reason: 'no webhook serves it' },
};
const served = { service: { trigger: 'github push', starts_here: true, reason: null } };

describe('explainInactiveAutomation', () => {
  it('reports nothing if every trigger starts the automation', () => {
    const automation = { enabled: true, triggers: [webhookTrigger('wh_1')] };
    expect(explainInactiveAutomation(automation, [ci])).toEqual({ isInactive: false, reasons: [] });
  });

  it('reports a trigger that no webhook serves in addition to a working webhook trigger', () => {
    const automation = { enabled: true, triggers: [webhookTrigger('wh_1'), unserved] };
    const reasons = ['The trigger github push cannot start here: no webhook serves it.'];
    expect(explainInactiveAutomation(automation, [ci])).toEqual({ isInactive: false, reasons });
  });

  it('reports every reason for a disabled automation', () => {
    const automation = { enabled: false, triggers: [webhookTrigger('wh_2', 'wh_9'), unserved, unserved] };
    const reasons = [
      'The automation is disabled.',
      'The webhook off is disabled: senders get 404.',
      'The factory has no webhook with UID wh_9: it may have been deleted.',
      'The trigger github push cannot start here: no webhook serves it.',
    ];
    expect(explainInactiveAutomation(automation, [ci, off])).toEqual({ isInactive: true, reasons });
  });

  it('reports nothing for a trigger of a provider that a webhook serves', () => {
    const automation = { enabled: true, triggers: [served] };
    expect(explainInactiveAutomation(automation, [])).toEqual({ isInactive: false, reasons: [] });
  });

  it('reports an automation as inactive if nothing serves its trigger', () => {
    const automation = { enabled: true, triggers: [unserved] };
    const reasons = ['The trigger github push cannot start here: no webhook serves it.'];
    expect(explainInactiveAutomation(automation, [])).toEqual({ isInactive: true, reasons });
  });
});

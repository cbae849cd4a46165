import { describe, expect, it } from 'vitest';
import { invertPlans } from './invert-plans.ts';
import type { ChangedEntry, PlanVerb, ReconciliationPlan } from './plan-changes.ts';

const NOTHING = { create: [], update: [], delete: [] };
const plan = (verb: PlanVerb, name: string, changes: ChangedEntry['changes'] = []): ReconciliationPlan => ({
  webhooks: { ...NOTHING, [verb]: [{ name, uid: null, restored: false, changes }] },
  automations: NOTHING,
});
const change = (key: string, from: string | null, to: string | null) => ({ key, from, to });

describe('the preview of a revert', () => {
  it('deletes objects that were created since', () => {
    const made = plan('create', 'second', [change('description', null, 'Builds')]);
    expect(invertPlans([made]).webhooks).toEqual({
      ...NOTHING,
      delete: [{ name: 'second', uid: null, restored: false, changes: [change('description', 'Builds', null)] }],
    });
  });

  it('restores objects that were deleted since', () => {
    expect(invertPlans([plan('delete', 'first')]).webhooks).toEqual({
      ...NOTHING,
      create: [{ name: 'first', uid: null, restored: true, changes: [] }],
    });
  });

  it('merges several changes of one object, and omits reverted keys', () => {
    const plans = [
      plan('update', 'ci', [change('description', 'b', 'c'), change('enabled', 'false', 'true')]),
      plan('update', 'ci', [change('description', 'a', 'b'), change('enabled', 'true', 'false')]),
    ];
    expect(invertPlans(plans).webhooks.update).toEqual([
      { name: 'ci', uid: null, restored: false, changes: [change('description', 'c', 'a')] },
    ]);
  });

  it('omits objects that were created and deleted, or deleted and created', () => {
    expect(invertPlans([plan('delete', 'brief'), plan('create', 'brief')]).webhooks).toEqual(NOTHING);
    expect(invertPlans([plan('create', 'back'), plan('delete', 'back')]).webhooks).toEqual(NOTHING);
  });
});

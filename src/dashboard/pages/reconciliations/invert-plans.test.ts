import { describe, expect, it } from 'vitest';
import { invertPlans } from './invert-plans.ts';
import type { Plan, PlanEntry, PlanVerb } from './plan-changes.ts';

const NOTHING = { create: [], update: [], delete: [] };
const plan = (verb: PlanVerb, name: string, changes: PlanEntry['changes'] = []): Plan => ({
  webhooks: { ...NOTHING, [verb]: [{ name, uid: null, restored: false, changes }] },
  automations: NOTHING,
});
const change = (key: string, from: string | null, to: string | null) => ({ key, from, to });

describe('the preview of a revert', () => {
  it('deletes what was created since', () => {
    const made = plan('create', 'second', [change('description', null, 'Builds')]);
    expect(invertPlans([made]).webhooks).toEqual({
      ...NOTHING,
      delete: [{ name: 'second', uid: null, restored: false, changes: [change('description', 'Builds', null)] }],
    });
  });

  it('restores what was deleted since', () => {
    expect(invertPlans([plan('delete', 'first')]).webhooks).toEqual({
      ...NOTHING,
      create: [{ name: 'first', uid: null, restored: true, changes: [] }],
    });
  });

  it('sums up several changes of one thing, and leaves out what is as it was', () => {
    const plans = [
      plan('update', 'ci', [change('description', 'b', 'c'), change('enabled', 'false', 'true')]),
      plan('update', 'ci', [change('description', 'a', 'b'), change('enabled', 'true', 'false')]),
    ];
    expect(invertPlans(plans).webhooks.update).toEqual([
      { name: 'ci', uid: null, restored: false, changes: [change('description', 'c', 'a')] },
    ]);
  });

  it('says nothing of what came and went in between, and of what is as it was', () => {
    expect(invertPlans([plan('delete', 'brief'), plan('create', 'brief')]).webhooks).toEqual(NOTHING);
    expect(invertPlans([plan('create', 'back'), plan('delete', 'back')]).webhooks).toEqual(NOTHING);
  });
});

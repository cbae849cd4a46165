import { describe, expect, it } from 'vitest';
import { buildAutomation, buildWebhook } from '../../../test/helpers/build-apply.ts';
import type { AppliedFactory } from '../../domain/applies/applied.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AutomationRow, WebhookRow } from '../../domain/ports/inventory.ts';
import { listTriggerChanges } from './trigger-changes.ts';

const CI = buildWebhook({ name: 'ci' });
const SENTRY = buildWebhook({ name: 'sentry' });

function listening(payloads: (JsonObject | null)[], more: Partial<AutomationRow> = {}, to = [CI.uid]): AutomationRow {
  const at = { line: 1, column: 1 };
  const triggers = payloads.map((payload) => ({
    provider: 'webhook' as const,
    event: 'received' as const,
    webhookIds: [],
    webhooks: ['ci'],
    payload,
    at,
  }));
  return buildAutomation({ triggers, listensTo: payloads.map(() => to), ...more });
}

interface State {
  webhooks?: WebhookRow[];
  automations: AutomationRow[];
}

function compare(before: State, after: State) {
  const { webhooks = [CI, SENTRY], automations } = before;
  const applied = {
    name: 'f',
    revision: null,
    webhooks: webhooks.map((row) => ({ ...row, deletedAt: null })),
    automations,
  };
  const planned = { webhooks: after.webhooks ?? [CI, SENTRY], automations: after.automations };
  const changes = listTriggerChanges(applied as unknown as AppliedFactory, { planned });
  return changes.map(({ automation, before: old, after: planned }) => [
    automation,
    Object.fromEntries(old),
    Object.fromEntries(planned),
  ]);
}

const same = listening([{ level: ['error'] }]);

describe('listTriggerChanges', () => {
  it('excludes an automation of which only the prompt changes', () => {
    expect(compare({ automations: [same] }, { automations: [{ ...same, prompt: 'other' }] })).toEqual([]);
  });

  it('lists a changed filter, with both sides by webhook', () => {
    const after = listening([{ level: ['fatal'] }]);
    expect(compare({ automations: [same] }, { automations: [after] })).toEqual([
      [
        'fix-errors',
        { [CI.uid]: [{ payload: { level: ['error'] } }] },
        { [CI.uid]: [{ payload: { level: ['fatal'] } }] },
      ],
    ]);
  });

  it('treats a trigger without a filter as one that matches everything, and joins triggers of one webhook', () => {
    const after = listening([null, { level: ['fatal'] }]);
    expect(compare({ automations: [] }, { automations: [after] })).toEqual([
      ['fix-errors', {}, { [CI.uid]: [{}, { payload: { level: ['fatal'] } }] }],
    ]);
  });

  it.each<[string, State, State]>([
    ['an automation that goes', { automations: [same] }, { automations: [] }],
    ['an automation that is disabled', { automations: [same] }, { automations: [{ ...same, enabled: false }] }],
    [
      'a webhook that is disabled',
      { automations: [same] },
      { automations: [same], webhooks: [{ ...CI, enabled: false }, SENTRY] },
    ],
    ['a webhook that goes', { automations: [same] }, { automations: [same], webhooks: [SENTRY] }],
  ])('lists %s as an automation that nothing starts after the apply', (_title, before, after) => {
    expect(compare(before, after)).toEqual([['fix-errors', { [CI.uid]: [{ payload: { level: ['error'] } }] }, {}]]);
  });
});

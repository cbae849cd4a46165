import { expect, it } from 'vitest';
import { describeForgetting, describeRenaming } from './factory-changes.ts';

const counts = { webhooks: 1, automations: 2, queued_runs: 0 };

it('names what forgetting a factory deletes', () => {
  expect(describeForgetting({ name: 'web', counts })).toEqual([
    '1 webhook and 2 automations are deleted, and a definition that only Dockbell stores.',
    'Their URLs never work again: a factory that gets this name later gets new URLs.',
    'Deliveries and ended runs stay until retention removes them.',
  ]);
  expect(describeForgetting({ name: 'web', counts: { ...counts, queued_runs: 3 } })).toContain(
    '3 queued runs are cancelled.',
  );
});

it('names what renaming a factory keeps', () => {
  expect(describeRenaming({ name: 'web', counts }, 'shop')[0]).toBe(
    '1 webhook of web keeps its URL and belongs to shop, with automations, runs and history.',
  );
  expect(describeRenaming({ name: 'web', counts: { ...counts, webhooks: 2 } }, 'shop')[0]).toBe(
    '2 webhooks of web keep their URLs and belong to shop, with automations, runs and history.',
  );
});

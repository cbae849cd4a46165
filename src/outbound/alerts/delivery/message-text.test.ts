import { expect, it } from 'vitest';
import { buildAlert } from '../../../../test/helpers/build-alert.ts';
import type { Alert } from '../../../domain/messages/alert.ts';
import { composeWebhook } from './compose-webhook.ts';
import { describeItem, findPageUrl } from './message-text.ts';

const item = (more: Partial<Alert> = {}) => ({ ...buildAlert(more), event: 'opened' as const });
const CONFIGURED = { dashboardUrl: 'https://dockbell.example.com' };
const AUTOMATION = 'https://dockbell.example.com/factories/payments/automations/fix-errors';

it('names the page of what the alert is about', () => {
  expect(describeItem(item(), CONFIGURED).details).toContain(`Page: ${AUTOMATION}`);
  expect(findPageUrl(item({ rule: 'rejectionBurst', object: 'gh', objectId: 'wh_1' }), CONFIGURED)).toBe(
    'https://dockbell.example.com/factories/payments/webhooks/wh_1',
  );
  expect(findPageUrl(item({ rule: 'deadLetter', object: null }), CONFIGURED)).toBe(
    'https://dockbell.example.com/factories/payments',
  );
  expect(findPageUrl(item({ rule: 'disk', factory: null, object: null }), CONFIGURED)).toBe(
    'https://dockbell.example.com/alerts',
  );
});

it('names the command instead if the URL of the dashboard is not configured', () => {
  const { details } = describeItem(item(), { dashboardUrl: null });
  expect(details).toContain("Explain it with 'dockbell why automation:fix-errors --factory payments'.");
  const content = { id: 'msg_1', createdAt: 0, items: [item()], dashboardUrl: null };
  expect(JSON.parse(composeWebhook(content)).data).toMatchObject({ url: null, alerts: [{ url: null }] });
  const linked = JSON.parse(composeWebhook({ ...content, ...CONFIGURED }));
  expect(linked.data.alerts).toMatchObject([{ url: AUTOMATION }]);
});

import { describe, expect, it } from 'vitest';
import { declareWebhook } from '../../../test/helpers/declare-webhook.ts';
import { readValues } from '../yaml/edit-yaml.ts';
import { editAutomation, reselectWebhook, writeDeclaredAutomation } from './write-automation.ts';
import { editWebhook, writeWebhook } from './write-webhook.ts';

const WEBHOOK = `# The build server.
authMode:   token # as it always was
secretName: "CI"

# Switched off for the move.
enabled: false
deliveryIdHeader: X-Id`;

const AUTOMATION = `---
# Looks into builds.
triggers:
  # The build server, and the old one.
  - provider: webhook
    event: received
    filter: { webhooks: [ci, old], payload: { level: [error] } }
model: large   # the budget allows it
---

Read the log.
---
Not front matter.
`;
const TRIGGER = {
  provider: 'webhook',
  event: 'received',
  filter: { webhooks: ['ci', 'old'], payload: { level: ['error'] } },
};

describe('editAutomation', () => {
  it('keeps every unchanged line', () => {
    const automation = { triggers: [TRIGGER], overrides: { model: 'small' }, prompt: 'Read it.\n' };
    const edited = editAutomation(AUTOMATION, automation);
    expect(edited).toBe(
      `${AUTOMATION.slice(0, AUTOMATION.indexOf('Read the log.')).replace('large', 'small')}Read it.\n`,
    );
  });

  it('replaces changed keys, and removes omitted ones', () => {
    const edited = editAutomation(AUTOMATION, { triggers: [{ provider: 'schedule' }], agent: 'triage', prompt: 'x' });
    expect(edited).toBe('---\n# Looks into builds.\ntriggers:\n  - provider: schedule\nagent: triage\n---\n\nx');
  });

  it('writes a new file with all given values', () => {
    const text = writeDeclaredAutomation({ triggers: [TRIGGER], enabled: false, description: null, prompt: 'P' });
    expect(text).toContain('enabled: false\ntriggers:');
    expect(text.endsWith('---\nP')).toBe(true);
  });
});

describe('reselectWebhook', () => {
  it('replaces the name of a renamed webhook', () => {
    const edited = reselectWebhook(AUTOMATION, { name: 'old', to: { name: 'new' } });
    expect(edited).toContain('- new');
    expect(edited).not.toContain('old]');
    expect(edited.endsWith('Not front matter.\n')).toBe(true);
  });

  it('replaces the name of a deleted webhook with its UID', () => {
    const uid = 'wh_0123456789abcdefghjkmnpqrs';
    const edited = reselectWebhook(AUTOMATION, { name: 'old', to: { uid } });
    expect(readValues(edited.split('---')[1]!)).toMatchObject({
      triggers: [{ filter: { webhook_ids: [uid], webhooks: ['ci'], payload: { level: ['error'] } } }],
    });
  });

  it('does not change other files', () => {
    expect(reselectWebhook(AUTOMATION, { name: 'other', to: { name: 'x' } })).toBe(AUTOMATION);
    expect(reselectWebhook('no front matter', { name: 'ci', to: { name: 'x' } })).toBe('no front matter');
  });
});

describe('a webhook', () => {
  it('is written without what is so anyway', () => {
    const webhook = declareWebhook({ secretName: 'S' });
    expect(writeWebhook(webhook)).toBe('authMode: token\nsecretName: S\n');
    expect(writeWebhook({ ...webhook, enabled: false })).toBe('authMode: token\nsecretName: S\nenabled: false\n');
  });

  it('is enabled by removing the key', () => {
    expect(editWebhook(WEBHOOK, { enabled: true })).toBe(WEBHOOK.replace('enabled: false\n', ''));
    expect(editWebhook(WEBHOOK, { deliveryIdHeader: null })).toBe(WEBHOOK.replace('deliveryIdHeader: X-Id', ''));
  });
});

import { describe, expect, it } from 'vitest';
import { readValues } from '../../yaml/edit-yaml.ts';
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
  it('keeps every line that goes on saying what it said', () => {
    const automation = { triggers: [TRIGGER], overrides: { model: 'small' }, prompt: 'Read it.\n' };
    const edited = editAutomation(AUTOMATION, automation);
    expect(edited).toBe(
      `${AUTOMATION.slice(0, AUTOMATION.indexOf('Read the log.')).replace('large', 'small')}Read it.\n`,
    );
  });

  it('replaces what changed, and takes away what is left out', () => {
    const edited = editAutomation(AUTOMATION, { triggers: [{ provider: 'schedule' }], agent: 'triage', prompt: 'x' });
    expect(edited).toBe('---\n# Looks into builds.\ntriggers:\n  - provider: schedule\nagent: triage\n---\n\nx');
  });

  it('writes a file that reads as it was told, from nothing', () => {
    const text = writeDeclaredAutomation({ triggers: [TRIGGER], enabled: false, description: null, prompt: 'P' });
    expect(text).toContain('enabled: false\ntriggers:');
    expect(text.endsWith('---\nP')).toBe(true);
  });
});

describe('reselectWebhook', () => {
  it('gives a trigger the new name of its webhook', () => {
    const edited = reselectWebhook(AUTOMATION, { name: 'old', to: { name: 'new' } });
    expect(edited).toContain('- new');
    expect(edited).not.toContain('old]');
    expect(edited.endsWith('Not front matter.\n')).toBe(true);
  });

  it('names the UID where the webhook goes', () => {
    const uid = 'wh_0123456789abcdefghjkmnpqrs';
    const edited = reselectWebhook(AUTOMATION, { name: 'old', to: { uid } });
    expect(readValues(edited.split('---')[1]!)).toMatchObject({
      triggers: [{ filter: { webhook_ids: [uid], webhooks: ['ci'], payload: { level: ['error'] } } }],
    });
  });

  it('leaves others alone, to the byte', () => {
    expect(reselectWebhook(AUTOMATION, { name: 'other', to: { name: 'x' } })).toBe(AUTOMATION);
    expect(reselectWebhook('no front matter', { name: 'ci', to: { name: 'x' } })).toBe('no front matter');
  });
});

describe('a webhook', () => {
  it('is written without what is so anyway', () => {
    const webhook = {
      ...{ description: null, authMode: 'token' as const, signatureScheme: null, signature: null, secretName: 'S' },
      ...{ verifyTokenSecretName: null, deliveryIdHeader: null, enabled: true },
    };
    expect(writeWebhook(webhook)).toBe('authMode: token\nsecretName: S\n');
    expect(writeWebhook({ ...webhook, enabled: false })).toBe('authMode: token\nsecretName: S\nenabled: false\n');
  });

  it('is enabled by taking the key away', () => {
    expect(editWebhook(WEBHOOK, { enabled: true })).toBe(WEBHOOK.replace('enabled: false\n', ''));
    expect(editWebhook(WEBHOOK, { deliveryIdHeader: null })).toBe(WEBHOOK.replace('deliveryIdHeader: X-Id', ''));
  });
});

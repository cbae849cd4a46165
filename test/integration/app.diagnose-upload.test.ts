import { createHmac } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { packScheme } from '../../src/definitions/signature/schemes/resolve-scheme.ts';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import type { WebhookView } from '../../src/domain/ports/inventory.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { createUploadDiagnosis, type UploadedRequest } from '../../src/ingress/diagnosis/diagnose-upload.ts';
import { createDiagnosisThread, type DiagnosisTask } from '../../src/ingress/diagnosis/diagnosis-thread.ts';
import { makeWebhook } from '../helpers/seeded-services.ts';

const VALUES = ['', 'first-Lm3_gangway', 'second-Lm3_gangway', 'third-Lm3_gangway'];
const BODY = '{"marker":"beacon"}';

const thread = createDiagnosisThread(new URL('../../dist/ingress/diagnosis/diagnosis-worker.js', import.meta.url));
afterAll(() => thread.close());

let nowMs: number;
let webhooks: WebhookView[];
let tasks: DiagnosisTask[];
beforeEach(() => {
  nowMs = 1_000;
  webhooks = [];
  tasks = [];
});

function open(attemptsPerMinute = 30) {
  const value = (version: number) => (VALUES[version] ? new SecretValue(VALUES[version]) : null);
  return createUploadDiagnosis({
    inventory: { webhooks: async (factory) => webhooks.filter((webhook) => webhook.factory === factory) },
    secrets: {
      open: async (_name, version) => value(version),
      resolve: async (name) =>
        name === 'KEY' ? { outcome: 'found', version: 3, value: value(3)! } : { outcome: 'missing' },
      versions: async () =>
        [3, 2, 1].flatMap((version) => {
          const stored = value(version);
          const history = { createdAt: 0, createdBy: 'alice', replacedAt: null, replacedBy: null };
          return stored === null ? [] : [{ version, value: stored, ...history }];
        }),
      list: async () => [
        {
          name: 'KEY',
          version: 3,
          createdAt: 0,
          updatedAt: 0,
          scope: { webhook: null, run: null },
          listedBy: [],
          notify: [],
          usedBy: webhooks.map(({ factory, name }) => ({ factory, webhook: name, version: 1 })),
        },
      ],
    },
    thread: {
      run: (task) => {
        tasks.push(task);
        return thread.run(task);
      },
    },
    attemptsPerMinute,
    clock: { monotonicMs: () => nowMs },
    baseUrl: () => 'https://hooks.example.com',
  });
}

function makeRequest(version: number, more: Partial<UploadedRequest> = {}): UploadedRequest {
  const signature = createHmac('sha256', VALUES[version]!).update(BODY).digest('hex');
  return {
    secretName: 'KEY',
    scheme: 'github',
    rawHeaders: ['X-Hub-Signature-256', `sha256=${signature}`],
    body: Buffer.from(BODY),
    receivedAt: null,
    url: null,
    ...more,
  };
}

const github = (more: Partial<WebhookView> = {}) =>
  makeWebhook({ authMode: 'signature', signatureScheme: 'github', secretName: 'KEY', secretVersion: 2, ...more });

describe('a request that was written down, with a secret that stays', () => {
  it.each([
    [3, 'none'],
    [2, 'old_secret_version'],
    [1, 'old_secret_version'],
  ])('is tried with every version: one signed with version %i is reported as %s', async (version, mistake) => {
    const diagnosis = await open()(makeRequest(version));
    expect(diagnosis.mistake).toBe(mistake);
    for (const value of VALUES.slice(1)) expect(JSON.stringify(diagnosis)).not.toContain(value);
  });

  it('takes scheme, version and URL of the webhook that names the secret', async () => {
    webhooks = [github()];
    const diagnosis = await open()(makeRequest(3, { scheme: null }));
    expect(diagnosis).toMatchObject({
      mistake: 'new_secret_version',
      sentence: expect.stringContaining(
        'version 3 of KEY, stored 1970-01-01T00:00:00.000Z by alice; the webhook checks version 2',
      ),
    });
    expect(tasks[0]!.publicUrl).toBe(`https://hooks.example.com/webhooks/w/${webhooks[0]!.uid}`);
  });

  it('takes the block of a custom scheme from a definition, never from who asks', async () => {
    await expect(open()(makeRequest(3, { scheme: 'custom' }))).rejects.toMatchObject({ code: 'conflict' });
    const signature = { header: 'X-Hub-Signature-256', label: 'sha256' };
    webhooks = [github({ signatureScheme: 'custom', signature, secretVersion: 3 })];
    expect(await open()(makeRequest(3, { scheme: 'custom' }))).toMatchObject({ mistake: 'none' });
  });

  it.each([
    ['no webhook', []],
    ['a webhook with its token in the URL', [github({ authMode: 'url_token', signatureScheme: null })]],
    ['webhooks of two schemes', [github(), github({ name: 'other', signatureScheme: 'gitea' })]],
  ])('requires the scheme if there is %s', async (_what, views) => {
    webhooks = views;
    const refused = open()(makeRequest(3, { scheme: null }));
    await expect(refused).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('--scheme') });
    expect((await open()(makeRequest(3))).mistake).toMatch(/none|new_secret_version/);
  });

  it('has to name a secret that exists', async () => {
    await expect(open()(makeRequest(3, { secretName: 'OTHER' }))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is no way to guess: a secret is tried as often in a minute as the ingress allows', async () => {
    const diagnose = open(2);
    for (let i = 0; i < 2; i++) await diagnose(makeRequest(3));
    nowMs += 59_000;
    await expect(diagnose(makeRequest(3))).rejects.toMatchObject({
      code: 'too_many_requests',
      message: expect.stringContaining('try again in 1 s'),
    });
    nowMs += 1_000;
    expect((await diagnose(makeRequest(3))).mistake).toBe('none');
  });
});

describe('the thread of diagnoses', () => {
  const task: DiagnosisTask = {
    scheme: packScheme(findScheme('github')!),
    secrets: [{ version: 1, text: 'another' }],
    publicUrl: null,
    nowMs: null,
    rawHeaders: makeRequest(3).rawHeaders,
    body: Buffer.from(BODY),
  };

  it('diagnoses under a special scheme, whose functions cannot be sent to a thread', async () => {
    const secrets: DiagnosisTask['secrets'] = [{ version: 1, text: 'arn:aws:sns:eu-central-1:123456789012:alarms' }];
    const diagnosis = await thread.run({ ...task, scheme: packScheme(findScheme('sns')!), secrets });
    expect(diagnosis).toMatchObject({ ok: true, mistake: 'sns_message' });
  });

  it('does not block the event loop with large bodies, and rejects requests that would wait too long', async () => {
    const body = Buffer.from(`[${'{"b":1,"a":[]},'.repeat(8_000)}1]`);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => thread.run({ ...task, body })));
    clearInterval(timer);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
    const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'too_many_requests' });
    // Done here, each would be one long turn.
    expect(turns).toBeGreaterThan(50);
  });

  it('starts again after it ended with its last task', async () => {
    for (let i = 0; i < 3; i++) expect((await thread.run(task)).ok).toBe(false);
  });
});

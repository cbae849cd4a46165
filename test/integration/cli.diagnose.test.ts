import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../../src/definitions/signature/sign/sign-request.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices, REJECTED_ID, URL_TOKEN_UID } from '../helpers/seeded-services.ts';

const SECRET = 'dock-Lm3_gangway:beacon~17';
const BODY = '{"a":"ä"}';
const NOW_MS = 1_790_000_000_000;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dockbell-diagnose-'));
  await writeFile(join(dir, 'secret'), `${SECRET}\n`);
});
afterEach(() => rm(dir, { recursive: true }));

function sign(scheme: string, secret = SECRET): Record<string, string> {
  const delivery = { url: '', body: Buffer.from(BODY), nowMs: NOW_MS, deliveryId: null, newId: () => 'id-1' };
  return signRequest(findScheme(scheme)!, secret, delivery).headers;
}

async function diagnoseFile(scheme: string, content: string | object, ...more: string[]) {
  await writeFile(join(dir, 'request'), typeof content === 'string' ? content : JSON.stringify(content));
  const argv = ['diagnose', '--request', 'request', '--scheme', scheme, '--secret-file', 'secret', ...more];
  return runCli(argv, { cwd: dir });
}

describe('dockbell diagnose --request', () => {
  it('accepts a valid request as JSON, as base64 and as HTTP text', async () => {
    const headers = sign('github');
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    for (const content of [
      { headers, body: BODY },
      { headers, body_base64: Buffer.from(BODY).toString('base64') },
      `POST /webhooks/w/x HTTP/1.1\r\nHost: x\r\n${fields.join('')}\r\n${BODY}`,
    ]) {
      const { code, stdout } = await diagnoseFile('github', content);
      expect([code, stdout]).toEqual([0, expect.stringContaining('The request is valid')]);
    }
  });

  it('names a mistake in one line, or as JSON', async () => {
    const { code, stdout } = await diagnoseFile('github', { headers: sign('github'), body: `${BODY}\n` });
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 1]);
    const json = await diagnoseFile('gitea', { headers: sign('github'), body: BODY }, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ mistake: 'wrong_scheme', tried: [] });
  });

  it('checks the clock only if the file contains the time of arrival', async () => {
    const request = { headers: sign('slack'), body: BODY };
    expect((await diagnoseFile('slack', request)).stdout).toContain('The request is valid');
    const received_at = new Date(NOW_MS + 3_600_000).toISOString();
    expect((await diagnoseFile('slack', { ...request, received_at })).stdout).toContain('by 3600 seconds');
  });

  it('returns 1 and lists the checks if nothing explains the rejection, without the secret', async () => {
    const { code, stdout } = await diagnoseFile('github', { headers: sign('github', 'other'), body: BODY });
    expect([code, stdout]).toEqual([1, expect.stringContaining('Checked without success:\n- ')]);
    expect(stdout).not.toContain(SECRET);
  });

  it('accepts a custom scheme and a bearer token', async () => {
    const custom = { headers: { 'X-Sig': sign('gitea')['X-Gitea-Signature']!.toUpperCase() }, body: BODY };
    expect((await diagnoseFile('custom', custom, '--signature', '{"header":"X-Sig"}')).stdout).toContain('lowercase');
    const bare = { headers: { Authorization: SECRET }, body: '' };
    expect((await diagnoseFile('token', bare)).stdout).toContain('Bearer');
  });

  it('checks a message of SNS without its certificate as far as possible, and asks for the certificate', async () => {
    await writeFile(join(dir, 'secret'), 'arn:aws:sns:eu-central-1:123456789012:alarms');
    const message = {
      Type: 'Notification',
      MessageId: 'm',
      TopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
      Message: 'x',
      Timestamp: '2027-01-15T08:00:00.000Z',
      SignatureVersion: '2',
      Signature: 'AAAA',
      SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0a.pem',
    };
    const request = { headers: {}, body: JSON.stringify(message) };
    const { code, stdout } = await diagnoseFile('sns', request);
    expect([code, stdout]).toEqual([1, expect.stringContaining('--certificate')]);
    const pem = fileURLToPath(new URL('../vectors/sns/certificate.pem', import.meta.url));
    expect((await diagnoseFile('sns', request, '--certificate', pem)).stdout).toContain('None of the common mistakes');
    const none = await diagnoseFile('sns', request, '--certificate', 'secret');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('is not a certificate')]);
  });

  it.each([
    ['neither JSON nor', 'nonsense'],
    ['not valid JSON', '{"headers":'],
    ['no object "headers"', { body: '' }],
    ['either "body" or "body_base64"', { headers: {} }],
    ['a body that is not a string', { headers: {}, body: { a: 1 } }],
    ['a header that is not a string', { headers: { A: 1 }, body: '' }],
    ['an invalid "received_at"', { headers: {}, body: '', received_at: 'noon' }],
  ])('rejects a file that is %s', async (sentence, content) => {
    const { code, stderr } = await diagnoseFile('github', content);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it.each([
    [['diagnose'], 'either the ID'],
    [['diagnose', 'dlv_1', '--request', 'x'], 'either the ID'],
    [['diagnose', 'dlv_1', '--scheme', 'github'], 'require --request'],
    [['diagnose', 'dlv_1', '--secret', 'KEY'], 'require --request'],
    [['diagnose', '--request', 'x', '--secret-stdin'], 'requires --scheme'],
    [['diagnose', '--request', 'x', '--secret', 'a b'], 'cannot be the name of a secret'],
    [['diagnose', '--request', 'x', '--secret', 'KEY', '--secret-file', 'secret'], 'cannot be used with'],
    [['diagnose', '--request', 'x', '--secret', 'KEY', '--signature', '{}'], 'cannot be used with'],
    [['diagnose', '--request', 'x', '--scheme', 'github'], 'requires the secret'],
    [['diagnose', '--request', '-', '--scheme', 'github', '--secret-stdin'], 'cannot both'],
  ])('%j is wrong usage', async (argv, sentence) => {
    const { code, stderr } = await runCli(argv, { cwd: dir });
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });
});

describe('against a daemon', () => {
  async function serve(more: Parameters<typeof createSeededServices>[0] = {}) {
    const services = createSeededServices(more);
    const app = createSeededServer(services);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner') };
    return {
      services,
      end: () => app.close(),
      run: (...argv: string[]) => runCli([...argv, '--factory', 'payments'], { env }),
    };
  }

  it('diagnose prints the answer of the daemon, and returns 1 if it explains nothing', async () => {
    const sentence = 'The clock is wrong: set it.';
    const served = await serve({ diagnose: async () => ({ mistake: 'clock', sentence, tried: [] }) });
    expect(await served.run('diagnose', REJECTED_ID)).toMatchObject({
      code: 0,
      stdout: 'The clock is wrong: set it.\n',
    });
    expect((await served.run('delivery', 'show', REJECTED_ID)).stdout).toContain(
      `\nWhy: dockbell diagnose ${REJECTED_ID}`,
    );
    await served.end();
    const puzzled = await serve({ diagnose: async () => ({ mistake: null, sentence: 'No idea.', tried: ['all'] }) });
    expect(await puzzled.run('diagnose', REJECTED_ID)).toMatchObject({
      code: 1,
      stdout: 'No idea.\n\nChecked without success:\n- all\n',
    });
    await puzzled.end();
  });

  it('diagnose sends a request file with the name of a secret, never its value', async () => {
    const { services, run, end } = await serve();
    const file = join(dir, 'request');
    await writeFile(
      file,
      JSON.stringify({ headers: { 'X-Sig': 'é' }, body: BODY, received_at: '2026-01-02T03:04:05Z' }),
    );
    const options = ['--secret', 'INTERNAL_CI_WEBHOOK_SECRET', '--to', 'https://h.example/x'];
    expect(await run('diagnose', '--request', file, ...options)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('has no credential'),
    });
    expect(services.seen.uploads).toEqual([
      {
        secretName: 'INTERNAL_CI_WEBHOOK_SECRET',
        scheme: null,
        url: 'https://h.example/x',
        body: new Uint8Array(Buffer.from(BODY)),
        rawHeaders: ['x-sig', Buffer.from('é').toString('latin1')],
        receivedAt: Date.parse('2026-01-02T03:04:05Z'),
      },
    ]);
    await end();
  });

  it('webhook capture opens a window, which webhook show prints, and closes it', async () => {
    const { run, end } = await serve();
    expect((await run('webhook', 'capture', 'internal-ci', '--for', '10m')).stdout).toContain(
      '2026-01-02T03:14:05.678Z',
    );
    expect((await run('webhook', 'show', 'internal-ci')).stdout).toMatch(
      /Capture: +until 2026-01-02T03:14:05.678Z, 0 stored/,
    );
    expect((await run('webhook', 'capture', 'internal-ci', '--off')).stdout).toContain('no longer stored');
    expect((await run('webhook', 'show', 'internal-ci')).stdout).not.toMatch(/Capture/);
    await end();
  });

  it('webhook capture rejects a missing duration, two hours, and a webhook without a diagnosis', async () => {
    const { run, end } = await serve();
    expect(await run('webhook', 'capture', 'internal-ci')).toMatchObject({ code: 2 });
    for (const length of ['0s', '500ms', '2h']) {
      expect(await run('webhook', 'capture', 'internal-ci', '--for', length)).toMatchObject({ code: 2 });
    }
    const byUrl = await run('webhook', 'capture', URL_TOKEN_UID, '--for', '1m');
    expect([byUrl.code, byUrl.stderr]).toEqual([1, expect.stringContaining('nothing to capture')]);
    await end();
  });
});

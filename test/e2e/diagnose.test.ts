import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'dock-Lm3_gangway:beacon~17';
const FILES = { 'webhooks/github.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: GITHUB\n' };
const BODY = '{"marker":"beacon-body"}';

describe('the diagnosis of a rejected delivery', () => {
  let repo: TempGitRepo;
  let daemon: TestDaemon;
  let url: string;

  /** Sends a delivery with a base64 signature instead of hex. Returns the ID of the rejection. */
  async function sendWrongly(): Promise<string> {
    const signature = `sha256=${createHmac('sha256', SECRET).update(BODY).digest('base64')}`;
    const answer = await fetch(url, { method: 'POST', headers: { 'x-hub-signature-256': signature }, body: BODY });
    expect(answer.status).toBe(401);
    const { stdout } = await daemon.cli('delivery', 'list', 'github', '--json', '--limit', '1');
    return JSON.parse(stdout).data[0].id;
  }

  beforeAll(async () => {
    repo = await createTempGitRepo();
    const revision = await repo.commit(FILES);
    const source = { type: 'repository', url: repo.path };
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source }] } });
    expect((await daemon.cli('secret', 'create', 'GITHUB', '--value', SECRET)).code).toBe(0);
    expect((await daemon.cli('status', '--wait', revision, '--timeout', '20s')).code).toBe(0);
    const { body } = await daemon.api('/factories/payments/webhooks');
    url = `${daemon.ingressUrl}/webhooks/w/${body.data[0].uid}`;
  });

  afterAll(async () => {
    expect(await daemon.end('SIGTERM')).toBe(0);
    repo.remove();
  });

  it('reports the mistake, from the reason without a capture window and from the request with one', async () => {
    expect((await daemon.cli('diagnose', await sendWrongly())).stdout).toContain('The signature header does not have');
    expect((await daemon.cli('webhook', 'capture', 'github', '--for', '10m')).code).toBe(0);
    const { code, stdout } = await daemon.cli('diagnose', await sendWrongly());
    expect([code, stdout]).toEqual([0, expect.stringContaining('written in base64, and this scheme uses hex')]);
    expect((await daemon.cli('webhook', 'show', 'github')).stdout).toMatch(/Capture: +until .*, 1 stored/);
  });

  it('diagnoses a request file with the name of a secret, trying every version, on the command line', async () => {
    const file = join(createTempDir('request'), 'request.json');
    const sign = (secret: string) => `sha256=${createHmac('sha256', secret).update(BODY).digest('hex')}`;
    const diagnose = (secret: string, ...more: string[]) => {
      writeFileSync(file, JSON.stringify({ headers: { 'X-Hub-Signature-256': sign(secret) }, body: BODY }));
      return daemon.cli('diagnose', '--request', file, '--secret', 'GITHUB', ...more);
    };
    expect((await diagnose(SECRET)).stdout).toContain('The request is valid');
    expect((await daemon.cli('secret', 'update', 'GITHUB', '--value', 'newer-Lm3_gangway')).code).toBe(0);
    expect((await diagnose('newer-Lm3_gangway')).stdout).toContain('version 2 of GITHUB, stored');
    const hopeless = await diagnose('another', '--json');
    expect([hopeless.code, JSON.parse(hopeless.stdout).mistake]).toEqual([1, null]);
    for (const text of [SECRET, 'newer-Lm3_gangway', 'beacon-body']) expect(daemon.output()).not.toContain(text);
    expect((await daemon.cli('diagnose', '--request', file, '--secret', 'NONE')).stderr).toContain('no secret NONE');
  });

  it('writes neither request nor secret to the log, and keeps nothing when the window is closed', async () => {
    const id = await sendWrongly();
    expect((await daemon.cli('webhook', 'capture', 'github', '--off')).code).toBe(0);
    expect((await daemon.cli('diagnose', id)).stdout).toContain('The signature header does not have');
    for (const text of [SECRET, 'beacon-body']) expect(daemon.output()).not.toContain(text);
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { eventually } from '../helpers/eventually.ts';
import { hasProgram } from '../helpers/has-program.ts';
import { type MailServer, startMailServer } from '../helpers/mail-server.ts';
import { answer, hangUp, RECEIVER_SECRET, type RunReceiver, startRunReceiver } from '../helpers/run-receiver.ts';
import { type StaticReceiver, startStaticReceiver } from '../helpers/static-receiver.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const PASSWORD = 'smtp-password-canary-0001';
/** A token name may contain anything but control characters. */
const HOSTILE = '<!channel> <https://evil.example|click> [x](https://evil.example) @here & "q"';

let repo: TempGitRepo;
let daemon: TestDaemon;
let receiver: RunReceiver;
let slack: StaticReceiver;
let mail: MailServer;

/** Another configuration of alerts, applied by a reload. */
async function setAlerts(alerts: Record<string, unknown>): Promise<void> {
  const file = join(daemon.dataDir, 'dockbell.yaml');
  const config = parse(readFileSync(file, 'utf8'));
  config.alerts = { ...FAST, ...alerts };
  writeFileSync(file, stringify(config));
  expect(await daemon.cli('reload')).toMatchObject({ code: 0 });
}

const FAST = { interval: '1s', groupWait: '0s', resolveAfter: '0s', repeatInterval: '1h' };
const ONLY_TOKENS = { applyFailed: 'off', disk: 'off' };
const ops = () => ({
  name: 'ops',
  type: 'webhook',
  url: receiver.url,
  secretName: 'ALERTS',
  allowPrivateAddresses: true,
});

const createToken = async (name: string): Promise<string> =>
  JSON.parse((await daemon.cli('token', 'create', name, '--expires', '2h', '--json')).stdout).id;
const revoke = (id: string) => daemon.cli('token', 'revoke', id, '--yes');
const eventsOf = (name: string) =>
  receiver.taken.flatMap(({ body }) =>
    body.data.alerts.filter(({ object }: { object: { name: string } | null }) => object?.name === name),
  );

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI_SECRET\n' });
  [receiver, slack, mail] = await Promise.all([
    startRunReceiver(),
    startStaticReceiver(),
    startMailServer({ password: PASSWORD }),
  ]);
  daemon = await startTestDaemon({
    config: {
      admin: { port: 0, url: 'https://dockbell.example.com' },
      alerts: { ...FAST, rules: ONLY_TOKENS, targets: [ops()] },
      factories: [{ name: 'payments', source: { type: 'repository', url: repo.path } }],
    },
    env: { NODE_EXTRA_CA_CERTS: mail.certificate },
  });
  for (const [name, value] of [
    ['ALERTS', RECEIVER_SECRET],
    ['SMTP', PASSWORD],
    ['CI_SECRET', 'x'.repeat(20)],
  ] as const)
    await daemon.api(`/secrets/${name}`, { method: 'PUT', body: { value, factories: ['payments'] } });
});

afterAll(async () => {
  await daemon?.end('SIGKILL');
  repo?.remove();
  await Promise.all([receiver?.close(), slack?.close(), mail?.close()]);
});

describe('a webhook gets', () => {
  it('a signed message when an alert opens and when it is resolved, and no more in between', async () => {
    const id = await createToken('first');
    const opened = await eventually(() => eventsOf('first')[0]);
    expect(opened).toMatchObject({
      event: 'opened',
      rule: 'tokenExpiring',
      severity: 'warning',
      factory: null,
      object: { kind: 'token', name: 'first', id },
      resolved_at: null,
    });
    await wait(2500);
    await revoke(id);
    await eventually(() => eventsOf('first').length === 2);
    expect(eventsOf('first').map(({ event }) => event)).toEqual(['opened', 'resolved']);
    const [message] = receiver.taken;
    expect(message!.body).toMatchObject({ type: 'alerts', data: { url: 'https://dockbell.example.com/alerts' } });
  });

  it('one message for alerts that open within the group wait', async () => {
    await setAlerts({ groupWait: '3s', rules: ONLY_TOKENS, targets: [ops()] });
    const before = receiver.taken.length;
    const ids = [await createToken('a'), await createToken('b')];
    await eventually(() => eventsOf('b')[0]);
    expect(receiver.taken.length).toBe(before + 1);
    expect(receiver.taken.at(-1)!.body.data).toMatchObject({ title: '2 alerts: 2 open' });
    for (const id of ids) await revoke(id);
    await eventually(() => eventsOf('b').length === 2);
  });

  it('repetitions until somebody acknowledges the alert', async () => {
    await setAlerts({ repeatInterval: '1s', rules: ONLY_TOKENS, targets: [ops()] });
    const token = await createToken('repeated');
    await eventually(() => eventsOf('repeated').length >= 3);
    expect(
      eventsOf('repeated')
        .map(({ event }) => event)
        .slice(0, 3),
    ).toEqual(['opened', 'repeated', 'repeated']);
    expect(await daemon.cli('alert', 'acknowledge', eventsOf('repeated')[0].id)).toMatchObject({ code: 0 });
    await wait(500);
    const count = eventsOf('repeated').length;
    await wait(3000);
    expect(eventsOf('repeated').length).toBe(count);
    await revoke(token);
    await eventually(() => eventsOf('repeated').at(-1)?.event === 'resolved');
    await setAlerts({ rules: ONLY_TOKENS, targets: [ops()] });
  });

  it('the same message again, with the same ID, when it did not answer', { timeout: 60_000 }, async () => {
    receiver.script(hangUp, answer(503), answer(200));
    const token = await createToken('retried');
    await eventually(() => eventsOf('retried').length === 3, 40_000);
    const attempts = receiver.taken.slice(-3);
    expect(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(attempts.map(({ text }) => text)).size).toBe(1);
    await revoke(token);
    await eventually(() => eventsOf('retried').at(-1)?.event === 'resolved');
  });

  it('only the alerts of its rules and factories', async () => {
    await setAlerts({
      rules: ONLY_TOKENS,
      targets: [
        ops(),
        { ...ops(), name: 'others', rules: ['disk'] },
        { ...ops(), name: 'team', factories: ['payments'] },
      ],
    });
    const token = await createToken('routed');
    await eventually(() => eventsOf('routed')[0]);
    await wait(1500);
    expect(eventsOf('routed').length).toBe(1);
    await revoke(token);
    await eventually(() => eventsOf('routed').length === 2);
  });
});

describe('a message survives', () => {
  it('a kill of the daemon between the alert and the message, which arrives, and nothing else', async () => {
    await setAlerts({ groupWait: '8s', rules: ONLY_TOKENS, targets: [ops()] });
    await createToken('killed');
    await eventually(async () => (await daemon.api('/alerts?state=open')).body.data[0]);
    await daemon.end('SIGKILL');
    expect(eventsOf('killed')).toEqual([]);
    const { dataDir } = daemon;
    const config = parse(readFileSync(join(dataDir, 'dockbell.yaml'), 'utf8'));
    daemon = await startTestDaemon({ dataDir, config, env: { NODE_EXTRA_CA_CERTS: mail.certificate } });
    await eventually(() => eventsOf('killed')[0]);
    await wait(2000);
    expect(eventsOf('killed').map(({ event }) => event)).toEqual(['opened']);
    expect((await daemon.api('/alerts?state=active')).body.data.length).toBe(1);
  });
});

describe('Slack gets', () => {
  it('hostile names as plain text', async () => {
    const targets = [{ name: 'chat', type: 'slack', url: slack.url, allowPrivateAddresses: true }];
    await setAlerts({ rules: ONLY_TOKENS, targets });
    const token = await createToken(HOSTILE);
    const { text, blocks } = JSON.parse(await eventually(() => slack.bodies[0]));
    expect(text).not.toMatch(/<!|<https|@here|\]\(/);
    expect(text).toContain('&lt;!channel&gt;');
    const [header, section, link] = blocks;
    expect(header).toMatchObject({ type: 'header', text: { type: 'plain_text', emoji: false } });
    expect(header.text.text).toContain('Open: Token expires (<!channel> ');
    expect(section).toMatchObject({ type: 'section', text: { type: 'plain_text' } });
    expect(link.text.text).toBe('<https://dockbell.example.com/alerts|Alerts on the dashboard>');
    await revoke(token);
    await eventually(() => slack.bodies.some((body) => body.includes('Resolved: Token expires')));
  });

  it('nothing at a private address that its secret names, unless that is allowed', async () => {
    await daemon.api('/secrets/SLACK_URL', { method: 'PUT', body: { value: slack.url, factories: ['payments'] } });
    const target = { name: 'chat', type: 'slack', urlSecretName: 'SLACK_URL' };
    await setAlerts({ rules: ONLY_TOKENS, targets: [target] });
    const rejected = await daemon.cli('alert', 'test', 'chat');
    expect(rejected).toMatchObject({ code: 1, stdout: expect.stringContaining('127.0.0.1 is private or reserved') });
    await setAlerts({ rules: ONLY_TOKENS, targets: [{ ...target, allowPrivateAddresses: true }] });
    expect(await daemon.cli('alert', 'test', 'chat')).toMatchObject({ code: 0 });
    expect(JSON.parse(slack.bodies.at(-1)!).text).toBe('Test message: Dockbell can send alerts to this target.');
    expect((await daemon.cli('alert', 'test', 'nobody')).stderr).toContain('has no such target');
    expect((await daemon.cli('secret', 'delete', 'SLACK_URL', '--yes')).stderr).toContain('chat (target of alerts)');
  });
});

/** The subject of a mail, decoded (RFC 2047). */
function readSubject(head: string): string {
  const [, folded = ''] = /^Subject: ((?:.|\r\n )*)/m.exec(head)!;
  const encoded = [...folded.matchAll(/=\?UTF-8\?Q\?(.*?)\?=/g)].map(([, word]) => word).join('');
  return decodeURIComponent(encoded.replaceAll('%', '%25').replaceAll('_', ' ').replaceAll('=', '%'));
}

describe.runIf(hasProgram('openssl'))('a mailbox gets', () => {
  const target = () => ({
    name: 'mail',
    type: 'email',
    host: 'localhost',
    port: mail.port,
    username: 'dockbell',
    secretName: 'SMTP',
    from: 'dockbell@example.com',
    to: ['ops@example.com', 'lead@example.com'],
  });

  it('a mail over an encrypted connection, with hostile names in one line', async () => {
    await setAlerts({ rules: ONLY_TOKENS, targets: [target()] });
    const token = await createToken(`${HOSTILE}\u202e`);
    const [taken] = await eventually(() => mail.taken.length > 0 && mail.taken);
    expect(taken).toMatchObject({
      from: 'dockbell@example.com',
      to: ['ops@example.com', 'lead@example.com'],
      secure: true,
      user: 'dockbell',
    });
    const [head = ''] = taken!.source.split('\r\n\r\n');
    expect(readSubject(head)).toBe(`[Dockbell] Open: Token expires (${HOSTILE}\\u{202e})`);
    expect(head).toMatch(/^Message-ID: <alm_\w{26}@example\.com>$/m);
    expect(head).toMatch(/^Content-Type: text\/plain/m);
    await revoke(token);
    await eventually(() => mail.taken.length === 2);
    expect(mail.taken[1]!.source).toContain('Resolved: Token expires');
  });

  it('nothing without a valid certificate, a right password or a known recipient', async () => {
    const test = async (changes: object) => {
      await setAlerts({ rules: ONLY_TOKENS, targets: [{ ...target(), ...changes }] });
      const { code, stdout } = await daemon.cli('alert', 'test', 'mail');
      return code === 1 && stdout;
    };
    expect(await test({ host: '127.0.0.1' })).toMatch(/its certificate is not valid|could not be sent/);
    expect(await test({ to: ['nobody@example.com'] })).toMatch(/rejected the sender or all recipients \(550\)/);
    await daemon.api('/secrets/SMTP', { method: 'PUT', body: { value: 'another-password-1' } });
    expect(await test({})).toMatch(/rejected the user name or the password \(535\)/);
    expect(mail.taken.length).toBe(2);
    expect(daemon.output()).not.toContain(PASSWORD);
  });
});

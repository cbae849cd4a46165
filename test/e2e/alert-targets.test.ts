import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AlertWorld, startAlertWorld } from '../helpers/alert-world.ts';
import { eventually } from '../helpers/eventually.ts';
import { hasProgram } from '../helpers/has-program.ts';
import { type MailServer, startMailServer } from '../helpers/mail-server.ts';
import { type StaticReceiver, startStaticReceiver } from '../helpers/static-receiver.ts';

// test/faults/alert-messages.test.ts has what takes longer: groups, repetitions, retries and a crash.

const PASSWORD = 'smtp-password-canary-0001';
/** A token name may contain anything but control characters. */
const HOSTILE = '<!channel> <https://evil.example|click> [x](https://evil.example) @here & "q"';
const HAS_OPENSSL = hasProgram('openssl');

let world: AlertWorld;
let slack: StaticReceiver;
let mail: MailServer | null = null;

beforeAll(async () => {
  slack = await startStaticReceiver();
  if (HAS_OPENSSL) mail = await startMailServer({ password: PASSWORD });
  const env: Record<string, string> = mail === null ? {} : { NODE_EXTRA_CA_CERTS: mail.certificate };
  world = await startAlertWorld({ env, secrets: { SMTP: PASSWORD } });
});

afterAll(async () => {
  await world?.close();
  await Promise.all([slack?.close(), mail?.close()]);
});

describe('a webhook gets', () => {
  it('a signed message when an alert opens and when it is resolved, and no more in between', async () => {
    const id = await world.createToken('first');
    const opened = await eventually(() => world.eventsOf('first')[0]);
    expect(opened).toMatchObject({
      event: 'opened',
      rule: 'tokenExpiring',
      severity: 'warning',
      factory: null,
      object: { kind: 'token', name: 'first', id },
      resolved_at: null,
    });
    await wait(2500);
    await world.revoke(id);
    await eventually(() => world.eventsOf('first').length === 2);
    expect(world.eventsOf('first').map(({ event }) => event)).toEqual(['opened', 'resolved']);
    const [message] = world.receiver.taken;
    expect(message!.body).toMatchObject({ type: 'alerts', data: { url: 'https://dockbell.example.com/alerts' } });
  });
});

describe('Slack gets', () => {
  it('hostile names as plain text', { tags: 'full' }, async () => {
    const targets = [{ name: 'chat', type: 'slack', url: slack.url, allowPrivateAddresses: true }];
    await world.setAlerts({ targets });
    const token = await world.createToken(HOSTILE);
    const { text, blocks } = JSON.parse(await eventually(() => slack.bodies[0]));
    expect(text).not.toMatch(/<!|<https|@here|\]\(/);
    expect(text).toContain('&lt;!channel&gt;');
    const [header, section, link] = blocks;
    expect(header).toMatchObject({ type: 'header', text: { type: 'plain_text', emoji: false } });
    expect(header.text.text).toContain('Open: Token expires (<!channel> ');
    expect(section).toMatchObject({ type: 'section', text: { type: 'plain_text' } });
    expect(link.text.text).toBe('<https://dockbell.example.com/alerts|Alerts on the dashboard>');
    await world.revoke(token);
    await eventually(() => slack.bodies.some((body) => body.includes('Resolved: Token expires')));
  });

  it('nothing at a private address that its secret names, unless that is allowed', { tags: 'full' }, async () => {
    await world.daemon.api('/secrets/SLACK_URL', {
      method: 'PUT',
      body: { value: slack.url, factories: ['payments'] },
    });
    const target = { name: 'chat', type: 'slack', urlSecretName: 'SLACK_URL' };
    await world.setAlerts({ targets: [target] });
    const rejected = await world.daemon.cli('alert', 'test', 'chat');
    expect(rejected).toMatchObject({ code: 1, stdout: expect.stringContaining('127.0.0.1 is private or reserved') });
    await world.setAlerts({ targets: [{ ...target, allowPrivateAddresses: true }] });
    expect(await world.daemon.cli('alert', 'test', 'chat')).toMatchObject({ code: 0 });
    expect(JSON.parse(slack.bodies.at(-1)!).text).toBe('Test message: Dockbell can send alerts to this target.');
    expect((await world.daemon.cli('alert', 'test', 'nobody')).stderr).toContain('has no such target');
    expect((await world.daemon.cli('secret', 'delete', 'SLACK_URL', '--yes')).stderr).toContain(
      'chat (target of alerts)',
    );
  });
});

/** The subject of a mail, decoded (RFC 2047). */
function readSubject(head: string): string {
  const [, folded = ''] = /^Subject: ((?:.|\r\n )*)/m.exec(head)!;
  const encoded = [...folded.matchAll(/=\?UTF-8\?Q\?(.*?)\?=/g)].map(([, word]) => word).join('');
  return decodeURIComponent(encoded.replaceAll('%', '%25').replaceAll('_', ' ').replaceAll('=', '%'));
}

describe.runIf(HAS_OPENSSL)('a mailbox gets', () => {
  const target = () => ({
    name: 'mail',
    type: 'email',
    host: 'localhost',
    port: mail!.port,
    username: 'dockbell',
    secretName: 'SMTP',
    from: 'dockbell@example.com',
    to: ['ops@example.com', 'lead@example.com'],
  });

  it('a mail over an encrypted connection, with hostile names in one line', { tags: 'full' }, async () => {
    await world.setAlerts({ targets: [target()] });
    const token = await world.createToken(`${HOSTILE}\u202e`);
    const taken = await eventually(() => mail!.taken[0]);
    expect(taken).toMatchObject({
      from: 'dockbell@example.com',
      to: ['ops@example.com', 'lead@example.com'],
      secure: true,
      user: 'dockbell',
    });
    const [head = ''] = taken.source.split('\r\n\r\n');
    expect(readSubject(head)).toBe(`[Dockbell] Open: Token expires (${HOSTILE}\\u{202e})`);
    expect(head).toMatch(/^Message-ID: <alm_\w{26}@example\.com>$/m);
    expect(head).toMatch(/^Content-Type: text\/plain/m);
    await world.revoke(token);
    await eventually(() => mail!.taken.length === 2);
    expect(mail!.taken[1]!.source).toContain('Resolved: Token expires');
  });

  it('nothing without a valid certificate, a right password or a known recipient', { tags: 'full' }, async () => {
    const test = async (changes: object) => {
      await world.setAlerts({ targets: [{ ...target(), ...changes }] });
      const { code, stdout } = await world.daemon.cli('alert', 'test', 'mail');
      return code === 1 && stdout;
    };
    expect(await test({ host: '127.0.0.1' })).toMatch(/its certificate is not valid|could not be sent/);
    expect(await test({ to: ['nobody@example.com'] })).toMatch(/rejected the sender or all recipients \(550\)/);
    await world.daemon.api('/secrets/SMTP', { method: 'PUT', body: { value: 'another-password-1' } });
    expect(await test({})).toMatch(/rejected the user name or the password \(535\)/);
    expect(mail!.taken.length).toBe(2);
    expect(world.daemon.output()).not.toContain(PASSWORD);
  });
});

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { buildSendCommand, buildSendingCommand, buildTokenCurl } from './sending-commands.ts';

const webhook = {
  factory: 'payments',
  name: 'ci',
  signature_scheme: null,
  auth_mode: 'token' as const,
  ingress_url: 'https://hooks.example.com/webhooks/w/wh_1',
  secret_name: 'CI_SECRET',
  delivery_id_header: null,
  body_format: 'json' as const,
  form_field: null,
};
const byUrl = { ...webhook, auth_mode: 'url_token' as const, ingress_url: `${webhook.ingress_url}/{token}` };
const forms = { body_format: 'form' as const, form_field: 'mandrill_events' };
const standard = { ...webhook, auth_mode: 'signature' as const, signature_scheme: 'standard_webhooks' };

/** Runs the command with a function in place of curl. Returns what curl would get, a list for each time it runs. */
function runTwice(command: string): string[][] {
  const script = `curl() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n${command}\n${command}\n`;
  const env = { PATH: process.env.PATH, CI_SECRET: 'dbs_of_the_shell' };
  const [first, second] = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).split('\n\0');
  return [first!, second!].map((run) => run.split('\0').slice(0, -1));
}

const findHeader = (args: readonly string[], name: string) => args.find((arg) => arg.startsWith(`${name}: `));

describe('the command that sends a delivery', () => {
  it.each([
    ['for a bearer token', buildSendingCommand(webhook, 'dbs_x'), 'X-Service-Delivery-Id'],
    ['for an unknown bearer token', buildSendingCommand(webhook, null), 'X-Service-Delivery-Id'],
    ['for a URL token', buildSendingCommand(byUrl, null), 'X-Service-Delivery-Id'],
    ['with a delivery ID header', buildSendingCommand({ ...webhook, delivery_id_header: 'X-Event' }, 's'), 'X-Event'],
    ['for Standard Webhooks', buildSendingCommand(standard, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), 'webhook-id'],
  ])('names a new delivery each time it is pasted: %s', (_, command, header) => {
    const [first, second] = runTwice(command).map((args) => findHeader(args, header));
    expect(first).toMatch(/: test-[0-9a-f]{16}$/);
    expect(second).toMatch(/: test-[0-9a-f]{16}$/);
    expect(second).not.toBe(first);
  });

  it('contains the secret while it is known, then a variable with its name', () => {
    expect(runTwice(buildSendingCommand(webhook, 'dbs_x'))[0]).toContain('Authorization: Bearer dbs_x');
    expect(runTwice(buildSendingCommand(webhook, null))[0]).toContain('Authorization: Bearer dbs_of_the_shell');
    expect(runTwice(buildSendingCommand(byUrl, 'dbs_x'))[0]).toContain(
      'https://hooks.example.com/webhooks/w/wh_1/dbs_x',
    );
    expect(runTwice(buildSendingCommand(byUrl, null))[0]).toContain(
      'https://hooks.example.com/webhooks/w/wh_1/dbs_of_the_shell',
    );
  });

  it('keeps a URL that already contains the secret', () => {
    const created = { ...byUrl, ingress_url: `${webhook.ingress_url}/dbs_x` };
    expect(runTwice(buildSendingCommand(created, 'dbs_x'))[0]).toContain(created.ingress_url);
  });

  it('quotes every character of a URL', () => {
    const url = 'http://a/\';exit 3;$(exit 4)"`exit 5`';
    expect(runTwice(buildSendingCommand({ ...webhook, ingress_url: url }, 's'))[1]).toContain(url);
  });

  it.each([
    ['for a bearer token', buildSendingCommand({ ...webhook, ...forms }, 's')],
    ['for Standard Webhooks', buildSendingCommand({ ...standard, ...forms }, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
    ['with the body of a sample', buildTokenCurl({ ...webhook, ...forms }, 's', '{"hello": "dockbell"}')],
  ])('posts JSON in the form field of the webhook: %s', (_, command) => {
    const [args] = runTwice(command);
    expect(findHeader(args!, 'Content-Type')).toBe('Content-Type: application/x-www-form-urlencoded');
    const posted = new URLSearchParams(args!.at(-1));
    expect([...posted]).toEqual([['mandrill_events', '{"hello": "dockbell"}']]);
  });

  it('posts a form to a webhook without a form field, and the JSON of a sample in the field payload', () => {
    const form = { ...webhook, body_format: 'form' as const };
    expect(runTwice(buildSendingCommand(form, 's'))[0]!.at(-1)).toBe('hello=dockbell');
    expect(runTwice(buildTokenCurl(form, 's', '[1]'))[0]!.at(-1)).toBe('payload=%5B1%5D');
    expect(buildSendCommand(form)).toContain("--data 'hello=dockbell'");
    expect(buildSendCommand({ ...webhook, ...forms })).toContain(`--data '{"hello": "dockbell"}'`);
  });

  it('leaves other signatures, and those with an unknown secret, to dockbell send', () => {
    const send = `dockbell send ci --factory payments --data '{"hello": "dockbell"}'`;
    expect(buildSendingCommand({ ...standard, signature_scheme: 'github' }, 'a-secret')).toBe(send);
    expect(buildSendingCommand(standard, null)).toBe(send);
    expect(buildSendCommand({ name: 'ci', factory: null })).toBe(`dockbell send ci --data '{"hello": "dockbell"}'`);
  });
});

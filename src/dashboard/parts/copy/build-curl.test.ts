import { describe, expect, it } from 'vitest';
import { buildCurl } from './build-curl.ts';

const webhook = {
  factory: 'payments',
  name: 'ci',
  signature_scheme: null,
  auth_mode: 'token' as const,
  ingress_url: 'https://hooks.example.com/webhooks/w/wh_1',
  secret_name: 'CI_SECRET',
  delivery_id_header: null,
};

describe('the command that sends a delivery', () => {
  it('holds the secret while it is known, and a variable of its name afterwards', () => {
    expect(buildCurl(webhook, 'dbs_x')).toContain("-H 'Authorization: Bearer dbs_x'");
    expect(buildCurl(webhook, null)).toContain(`-H 'Authorization: Bearer '"$CI_SECRET"`);
  });

  it('puts the secret of a URL token into the URL', () => {
    const byUrl = { ...webhook, auth_mode: 'url_token' as const, ingress_url: `${webhook.ingress_url}/{token}` };
    expect(buildCurl(byUrl, 'dbs_x')).toContain("'https://hooks.example.com/webhooks/w/wh_1/dbs_x'");
    expect(buildCurl(byUrl, null)).toContain(`'https://hooks.example.com/webhooks/w/wh_1/'"$CI_SECRET"`);
  });

  it('names the delivery anew each time, in the header of the webhook or else in ours', () => {
    expect(buildCurl(webhook, 's')).toContain(`-H 'X-Service-Delivery-Id: '"$(date +%s)"`);
    expect(buildCurl({ ...webhook, delivery_id_header: 'X-Event' }, 's')).toContain(`-H 'X-Event: '"$(date +%s)"`);
  });

  it('gives no quote a way out', () => {
    expect(buildCurl({ ...webhook, ingress_url: "http://a/';reboot" }, 's')).toContain("'http://a/'\\'';reboot'");
  });

  it('leaves signing to dockbell send, where openssl does not know the scheme or the secret is not known', () => {
    const signed = { ...webhook, auth_mode: 'signature' as const, signature_scheme: 'github' };
    const send = `dockbell send ci --factory payments --data '{"hello": "dockbell"}'`;
    expect(buildCurl(signed, 'a-secret')).toBe(send);
    expect(buildCurl({ ...signed, signature_scheme: 'standard_webhooks' }, null)).toBe(send);
    expect(buildCurl({ ...signed, signature_scheme: 'standard_webhooks' }, 'whsec_x')).toContain('openssl');
  });
});

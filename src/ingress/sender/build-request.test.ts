import { describe, expect, it } from 'vitest';
import { toSignedRequest } from '../../../test/helpers/signed-request.ts';
import { findScheme, SCHEME_NAMES } from '../../definitions/signature/schemes/schemes.ts';
import { compileVerifier } from '../../definitions/signature/verify/compile-verifier.ts';
import { AppError } from '../../domain/errors.ts';
import type { SenderRequest, SenderTarget } from './build-request.ts';
import { buildSenderRequest } from './build-request.ts';

const body = Buffer.from('{"a":1}');
const nowMs = 1_790_000_000_000;
const delivery = { body, deliveryId: 'evt_1', nowMs, newId: () => 'new-1' };
const URL_SHOWN = 'https://hooks.example.com/webhooks/w/wh_00000000000000000000000000';

function target(change: Partial<SenderTarget>): SenderTarget {
  return {
    ingressUrl: URL_SHOWN,
    authMode: 'token',
    signatureScheme: null,
    signature: null,
    bodyFormat: 'json',
    deliveryIdHeader: null,
    deliveryIdPath: null,
    formField: null,
    ...change,
  };
}

function verified(request: SenderRequest, scheme: string, secret: string) {
  const compiled = compileVerifier(findScheme(scheme)!, secret);
  return compiled.ok && compiled.verify(toSignedRequest({ headers: request.headers, body: request.body, nowMs }));
}

describe('a delivery as a real sender would post it', () => {
  it('carries a bearer token', () => {
    expect(buildSenderRequest(target({}), 'dbs_abc', delivery)).toEqual({
      url: URL_SHOWN,
      headers: {
        'Content-Type': 'application/json',
        'X-Service-Delivery-Id': 'evt_1',
        Authorization: 'Bearer dbs_abc',
      },
      body,
    });
  });

  it('has its ID at the path of the webhook, also if the scheme has a header for it', () => {
    const named = target({ authMode: 'signature', signatureScheme: 'github', deliveryIdPath: 'event.id' });
    const request = buildSenderRequest(named, 'secret', delivery);
    expect(Buffer.from(request.body).toString()).toBe('{"a":1,"event":{"id":"evt_1"}}');
    expect(verified(request, 'github', 'secret')).toEqual({ ok: true, family: 'github', identity: 'new-1' });
    expect(() => buildSenderRequest(named, 'secret', { ...delivery, body: Buffer.from('[]') })).toThrow(AppError);
    expect(buildSenderRequest(named, 'secret', { ...delivery, deliveryId: null }).body).toEqual(body);
  });

  it('carries the URL token in the path, in place of the placeholder', () => {
    const shown = target({ authMode: 'url_token', ingressUrl: `${URL_SHOWN}/{token}`, deliveryIdHeader: 'X-Event' });
    const request = buildSenderRequest(shown, 'dbs_a-b.c~_$&', { ...delivery, deliveryId: null });
    expect(request).toEqual({
      url: `${URL_SHOWN}/dbs_a-b.c~_%24%26`,
      headers: { 'Content-Type': 'application/json' },
      body,
    });
  });

  it('is signed, with its ID in the header of the scheme', () => {
    const signed = target({ authMode: 'signature', signatureScheme: 'github' });
    const request = buildSenderRequest(signed, 'secret', delivery);
    expect(verified(request, 'github', 'secret')).toEqual({ ok: true, family: 'github', identity: 'evt_1' });
    expect(Object.keys(request.headers)).not.toContain('X-Service-Delivery-Id');
  });

  it('has its ID in the body if the scheme has it there', () => {
    const signed = target({ authMode: 'signature', signatureScheme: 'mailgun' });
    const request = buildSenderRequest(signed, 'secret', delivery);
    expect(verified(request, 'mailgun', 'secret')).toEqual({ ok: true, family: 'mailgun', identity: 'evt_1' });
    expect(Object.keys(request.headers)).not.toContain('X-Service-Delivery-Id');
    const own = buildSenderRequest({ ...signed, deliveryIdHeader: 'X-Event' }, 'secret', delivery);
    expect(own.headers['X-Event']).toBe('evt_1');
    expect(verified(own, 'mailgun', 'secret')).toMatchObject({ ok: true, identity: 'new-1' });
  });

  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  it.each([
    ['alertmanager', 'user:pass word', basic('user:pass word')],
    ['alertmanager', 'my user:password', basic('my user:password')],
    ['alertmanager', 'a-bare-token', 'Bearer a-bare-token'],
    ['grafana_token', 'user:password', basic('user:password')],
    ['grafana_token', 'a-bare-token', 'Bearer a-bare-token'],
    ['grafana_token', 'Token abc:def', 'Token abc:def'],
    ['azure_devops', 'user:password', basic('user:password')],
    ['heroku_token', 'a-bare-token', 'a-bare-token'],
  ])('under %s, the secret %j is sent as %j', (signatureScheme, secret, authorization) => {
    const request = buildSenderRequest(target({ authMode: 'signature', signatureScheme }), secret, delivery);
    expect(request.headers.Authorization).toBe(authorization);
    expect(verified(request, signatureScheme, secret)).toMatchObject({ ok: true });
  });

  it('has its ID in X-Service-Delivery-Id if the scheme has no header for it', () => {
    const signed = target({ authMode: 'signature', signatureScheme: 'buildkite' });
    const { headers } = buildSenderRequest(signed, 'a-token', delivery);
    expect(headers['X-Service-Delivery-Id']).toBe('evt_1');
  });

  it('has its ID in the body if the scheme reads it there', () => {
    const signed = target({ authMode: 'signature', signatureScheme: 'stripe' });
    const { headers, body } = buildSenderRequest(signed, 'whsec_x', delivery);
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ id: 'evt_1' });
    expect(headers).not.toHaveProperty('X-Service-Delivery-Id');
  });

  it("has its ID in the webhook's header if it names one, in addition to the ID that the scheme always sends", () => {
    const signed = target({ authMode: 'signature', signatureScheme: 'github', deliveryIdHeader: 'X-Event' });
    const { headers } = buildSenderRequest(signed, 'secret', delivery);
    expect(headers).toMatchObject({ 'X-Event': 'evt_1', 'X-GitHub-Delivery': 'new-1' });
  });

  it("sends the ID once and signs it if the webhook's header is that of the scheme", () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const signed = target({
      authMode: 'signature',
      signatureScheme: 'standard_webhooks',
      deliveryIdHeader: 'Webhook-Id',
    });
    const request = buildSenderRequest(signed, secret, delivery);
    expect(Object.keys(request.headers).filter((name) => name.toLowerCase() === 'webhook-id')).toEqual(['webhook-id']);
    expect(verified(request, 'standard_webhooks', secret)).toMatchObject({ ok: true, identity: 'evt_1' });
  });

  it('is rejected under a scheme that is not in the table', () => {
    const unknown = target({ authMode: 'signature', signatureScheme: 'gitbub' });
    expect(() => buildSenderRequest(unknown, 's', delivery)).toThrow(AppError);
    expect(() => buildSenderRequest(unknown, 's', delivery)).toThrow(`use one of ${SCHEME_NAMES.join(', ')}.`);
  });
});

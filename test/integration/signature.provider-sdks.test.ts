import { randomBytes } from 'node:crypto';
import { sign as signGitHub, verify as verifyGitHub } from '@octokit/webhooks-methods';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { generateSecret } from '../../src/signature/generate-secret.ts';
import { findScheme } from '../../src/signature/schemes.ts';
import { signRequest } from '../../src/signature/sign.ts';
import { compileSignatureVerifier } from '../../src/signature/signature-verifier.ts';
import { toSignedRequest } from '../helpers/signed-request.ts';

// The SDKs judge by the machine's clock.
const nowMs = Date.now();
const nowS = Math.floor(nowMs / 1000);
const payloads = [
  '{"type":"pallet.scanned"}',
  '{"from":"Łódź 東京 🎈"}',
  '{ "ratio": 2.0,\r\n "u": "\\u00fc" }\n',
  '[]',
];
const stripe = new Stripe('sk_test_of_no_account');

function accepts(schemeName: string, secret: string, fields: Record<string, string>, payload: string): boolean {
  const scheme = findScheme(schemeName);
  if (scheme?.family !== 'signature') throw new Error(`no scheme ${schemeName}`);
  const compiled = compileSignatureVerifier(scheme, secret);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.verify(toSignedRequest({ headers: fields, body: Buffer.from(payload), nowMs })).ok;
}

function signed(schemeName: string, secret: string, payload: string): Record<string, string> {
  const delivery = { url: '', body: Buffer.from(payload), nowMs, deliveryId: 'evt_1', newId: () => 'new-1' };
  return signRequest(findScheme(schemeName)!, secret, delivery).headers;
}

describe.each(payloads)('the body %j', (payload) => {
  it("GitHub: ours accepts @octokit/webhooks-methods' signature and the other way round", async () => {
    const secret = "It's a Secret to Everybody";
    const theirs = await signGitHub(secret, payload);
    expect(accepts('github', secret, { 'X-Hub-Signature-256': theirs }, payload)).toBe(true);
    expect(accepts('github', secret, { 'X-Hub-Signature-256': theirs }, `${payload} `)).toBe(false);
    const ours = signed('github', secret, payload)['X-Hub-Signature-256']!;
    expect(await verifyGitHub(secret, payload, ours)).toBe(true);
  });

  it("Stripe: ours accepts stripe's signature and the other way round", () => {
    const secret = 'whsec_1MNUL8J+Daryfh2NZluOodAThg/KPACiEL8kPgWmeMU=';
    const theirs = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: nowS });
    expect(accepts('stripe', secret, { 'Stripe-Signature': theirs }, payload)).toBe(true);
    expect(accepts('stripe', secret, { 'Stripe-Signature': theirs }, `${payload} `)).toBe(false);
    const ours = signed('stripe', secret, payload)['Stripe-Signature']!;
    expect(stripe.webhooks.constructEvent(payload, ours, secret)).toEqual(JSON.parse(payload));
  });

  const secret = generateSecret('standard_webhooks', randomBytes);

  it("Standard Webhooks: ours accepts standardwebhooks' signature and the other way round", () => {
    const library = new StandardWebhook(secret);
    const theirs = headersOf('webhook', library.sign('evt_1', new Date(nowMs), payload));
    expect(accepts('standard_webhooks', secret, theirs, payload)).toBe(true);
    expect(accepts('standard_webhooks', secret, theirs, `${payload} `)).toBe(false);
    expect(library.verify(payload, signed('standard_webhooks', secret, payload))).toEqual(JSON.parse(payload));
  });

  it("Svix: ours accepts svix's signature and the other way round", () => {
    const library = new SvixWebhook(secret);
    const theirs = headersOf('svix', library.sign('evt_1', new Date(nowMs), payload));
    expect(accepts('standard_webhooks', secret, theirs, payload)).toBe(true);
    expect(accepts('standard_webhooks', secret, theirs, `${payload} `)).toBe(false);
    expect(library.verify(payload, signed('standard_webhooks', secret, payload))).toEqual(JSON.parse(payload));
  });
});

function headersOf(family: string, signature: string): Record<string, string> {
  return { [`${family}-id`]: 'evt_1', [`${family}-timestamp`]: String(nowS), [`${family}-signature`]: signature };
}

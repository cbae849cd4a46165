import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../../src/definitions/signature/sign/sign-request.ts';
import { makeSecrets } from '../helpers/scheme-secrets.ts';
import { startIngress, type TestIngress, type TestWebhook } from '../helpers/start-ingress.ts';

function readCase<T>(name: string): T {
  return JSON.parse(readFileSync(`test/vectors/cases/${name}.json`, 'utf8')) as T;
}

let ingress: TestIngress;

afterEach(() => ingress?.close());

const AUTOMATION = { name: 'triage', webhook: 'hook' };
const DURATION_MS = { s: 1000, h: 3_600_000 } as const;

function parseDuration(text: string): number {
  return Number(text.slice(0, -1)) * DURATION_MS[text.at(-1) as 's' | 'h'];
}

/** Label, reason and number of runs of each entry, in the order of arrival. */
async function readLog(): Promise<[string | null, string | null, number][]> {
  const rows = await ingress.deliveries();
  return rows.reverse().map(({ label, reason, runs }) => [label, reason, runs.length]);
}

interface LinearCase {
  webhook: { authMode: 'signature'; signatureScheme: string };
  secret: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  attempts: { after: string }[];
}

describe('the documented retries of Linear, which repeat the first request', () => {
  const { webhook, secret, headers, body, attempts } = readCase<LinearCase>('linear-retry');

  /** The first attempt is now. Returns a function that posts its bytes again. */
  async function begin() {
    ingress = await startIngress({ webhooks: [{ ...webhook, secret }], automations: [AUTOMATION] });
    const bytes = JSON.stringify({ ...body, webhookTimestamp: ingress.clock.wallMs() });
    const signature = createHmac('sha256', secret).update(bytes).digest('hex');
    return (changed: Record<string, string> = {}) =>
      ingress.post(ingress.path(), {
        headers: { ...headers, 'Linear-Signature': signature, ...changed },
        body: bytes,
      });
  }

  /** Posts the attempts from one on, each at its time. */
  async function retry(post: () => Promise<{ status: number }>, from: number) {
    const statuses: number[] = [];
    for (const { after } of attempts.slice(from)) {
      ingress.clock.advance(parseDuration(after));
      statuses.push((await post()).status);
    }
    return statuses;
  }

  it('start one run if the first attempt got no answer', async () => {
    expect(await retry(await begin(), 1)).toEqual([200, 200, 200]);
    expect(await readLog()).toEqual([
      ['Accepted', null, 1],
      ['Duplicate', 'same_identity', 0],
      ['Duplicate', 'same_identity', 0],
    ]);
  });

  it('start one run if the first attempt was accepted and its answer was lost', async () => {
    expect(await retry(await begin(), 0)).toEqual([200, 200, 200, 200]);
    expect((await readLog()).map(([label]) => label)).toEqual(['Accepted', 'Duplicate', 'Duplicate', 'Duplicate']);
  });

  it('are duplicates also with another Linear-Delivery, which is not signed', async () => {
    const post = await begin();
    await post();
    ingress.clock.advance(2 * DURATION_MS.h);
    expect((await post({ 'Linear-Delivery': 'changed' })).status).toBe(200);
    expect((await post({ 'Linear-Delivery': '', 'X-Service-Delivery-Id': 'changed' })).status).toBe(200);
    expect(await readLog()).toEqual([
      ['Accepted', null, 1],
      ['Duplicate', 'same_identity', 0],
      ['Duplicate', 'same_identity', 0],
    ]);
    const [, duplicate, accepted] = await ingress.deliveries();
    expect(duplicate).toMatchObject({
      deliveryId: expect.stringMatching(/^sha256:/),
      deliveryIdSource: 'body_hash',
      detail: 'the delivery ID of the request is changed',
      duplicateOf: accepted!.id,
    });
  });

  it('are rejected after eight hours', async () => {
    const post = await begin();
    ingress.clock.advance(8 * DURATION_MS.h);
    expect((await post()).status).toBe(401);
    expect(await readLog()).toEqual([['Rejected (auth)', 'stale_timestamp', 0]]);
  });
});

interface IdentityCase {
  scheme: string;
  secret: string;
  deliveries: { name: string; body?: string; expected: string }[];
}

describe('the event ID in a signed body', () => {
  const { scheme, secret, deliveries } = readCase<IdentityCase>('identity-in-body');
  const [first, retry] = deliveries;

  async function begin(more: Partial<TestWebhook> = {}) {
    const webhook = { authMode: 'signature', signatureScheme: scheme, secret, ...more } as const;
    ingress = await startIngress({ webhooks: [webhook], automations: [AUTOMATION] });
    return (body: string, headers: Record<string, string> = {}, signedAt = ingress.clock.wallMs()) => {
      const stamp = Math.floor(signedAt / 1000);
      const signature = createHmac('sha256', secret).update(`${stamp}.${body}`).digest('hex');
      const signed = { 'Stripe-Signature': `t=${stamp},v1=${signature}`, ...headers };
      return ingress.post(ingress.path(), { headers: signed, body });
    };
  }

  it('identifies the event if the body of a retry differs, and if a copy names another ID', async () => {
    const post = await begin();
    const signedAt = ingress.clock.wallMs();
    expect((await post(first!.body!)).body).toBe('{"delivery_id":"evt_A"}');
    await post(retry!.body!);
    await post(first!.body!, { 'X-Service-Delivery-Id': 'something-new' }, signedAt);
    expect(await readLog()).toEqual([
      ['Accepted', null, 1],
      ['Duplicate', 'same_identity_other_body', 0],
      ['Duplicate', 'same_identity', 0],
    ]);
    expect((await ingress.deliveries()).map((row) => [row.deliveryIdSource, row.deliveryId])).toEqual(
      Array(3).fill(['payload', 'evt_A']),
    );
  });

  it('identifies no event with another body and another ID', async () => {
    const post = await begin();
    for (const id of ['evt_A', 'evt_B']) await post(first!.body!.replace('evt_A', id));
    expect(await readLog()).toEqual(Array(2).fill(['Accepted', null, 1]));
  });

  it('is the second key of a webhook whose sender names the delivery in a header', async () => {
    const post = await begin({ deliveryIdHeader: 'X-Event' });
    for (const id of ['one', 'two']) await post(first!.body!, { 'X-Event': id });
    await post(retry!.body!, { 'X-Event': 'two' });
    await post(retry!.body!, { 'X-Event': 'one' });
    expect((await readLog()).map(([label, reason]) => [label, reason])).toEqual([
      ['Accepted', null],
      ['Duplicate', 'same_identity'],
      // The duplicate has not claimed its ID.
      ['Accepted', null],
      ['Duplicate', 'same_identity_other_body'],
    ]);
  });

  it('is no second key without deduplication, and the body none of a scheme that identifies deliveries by a header', async () => {
    const post = await begin({ deduplicate: false });
    for (const id of ['one', 'two']) await post(first!.body!, { 'X-Service-Delivery-Id': id });
    await ingress.close();
    ingress = await startIngress({ webhooks: [{ authMode: 'signature', signatureScheme: 'github', secret }] });
    const signature = `sha256=${createHmac('sha256', secret).update('{}').digest('hex')}`;
    for (const id of ['one', 'two']) {
      const headers = { 'X-Hub-Signature-256': signature, 'X-GitHub-Delivery': id };
      await ingress.post(ingress.path(), { headers, body: '{}' });
    }
    expect((await ingress.deliveries()).map(({ label }) => label)).toEqual(['Accepted', 'Accepted']);
  });
});

describe('the answer', () => {
  it.each(readCase<{ scheme: string }[]>('answer-200'))('to $scheme is 200', async ({ scheme: signatureScheme }) => {
    const scheme = findScheme(signatureScheme)!;
    const { signing: secret } = makeSecrets(scheme);
    ingress = await startIngress({ webhooks: [{ authMode: 'signature', signatureScheme, secret }] });
    const nowMs = ingress.clock.wallMs();
    // Linear signs the time in the body.
    const body = Buffer.from(JSON.stringify({ webhookTimestamp: nowMs }));
    const sent = { url: '', body, nowMs, deliveryId: 'one', newId: () => 'one' };
    const { headers } = signRequest(scheme, secret, sent);
    for (const label of ['Accepted', 'Duplicate']) {
      expect((await ingress.post(ingress.path(), { headers, body })).status).toBe(200);
      expect((await ingress.deliveries())[0]).toMatchObject({ label });
    }
  });
});

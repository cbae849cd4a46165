import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { startIngress, type TestIngress } from '../helpers/start-ingress.ts';

function readCase<T>(name: string): T {
  return JSON.parse(readFileSync(`test/vectors/cases/${name}.json`, 'utf8')) as T;
}

let ingress: TestIngress;

afterEach(() => ingress.close());

const AUTOMATION = { name: 'triage', webhook: 'hook' };
const DURATION_MS = { s: 1000, h: 3_600_000 } as const;

function parseDuration(text: string): number {
  return Number(text.slice(0, -1)) * DURATION_MS[text.at(-1) as 's' | 'h'];
}

/** Label, reason and number of runs of each entry, in the order of arrival. */
async function readLog(): Promise<[string, string | null, number][]> {
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

  it('are rejected after eight hours', async () => {
    const post = await begin();
    ingress.clock.advance(8 * DURATION_MS.h);
    expect((await post()).status).toBe(401);
    expect(await readLog()).toEqual([['Rejected (auth)', 'stale_timestamp', 0]]);
  });
});

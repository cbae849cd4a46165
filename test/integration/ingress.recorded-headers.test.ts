import { afterEach, describe, expect, it } from 'vitest';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../../src/definitions/signature/sign/sign-request.ts';
import { parseRecordedHeaders } from '../../src/domain/resources/delivery.ts';
import { startIngress, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

const SECRET = 'a-secret-of-32-characters-at-all';

let ingress: TestIngress;

afterEach(() => ingress.close());

const listHeaders = async (name?: string) =>
  (await ingress.deliveries(name)).map(({ headers }) => (headers === null ? null : parseRecordedHeaders(headers)));

describe('the recorded headers of a delivery', () => {
  it('are the common ones and those of the definition, and no other', async () => {
    ingress = await startIngress({ webhooks: [{ recordHeaders: ['X-Request-Source', 'X-Absent', 'x-team'] }] });
    const headers = {
      'User-Agent': 'ci/2',
      'Content-Type': 'application/json',
      'x-request-source': 'eu',
      'X-Team': 'caf\u00c3\u00a9',
      'X-Other': '1',
    };
    await ingress.post('hook', { headers, body: '{}' });
    expect(await listHeaders()).toEqual([
      { 'user-agent': 'ci/2', 'content-type': 'application/json', 'x-request-source': 'eu', 'x-team': 'caf\u00e9' },
    ]);
  });

  it('are those of the scheme without its signature', async () => {
    ingress = await startIngress({
      webhooks: [{ name: 'github', authMode: 'signature', signatureScheme: 'github', secret: SECRET }],
    });
    const body = Buffer.from('{}');
    const delivery = { url: '', body, nowMs: ingress.clock.wallMs(), deliveryId: 'd-1', newId: () => '' };
    const { headers } = signRequest(findScheme('github')!, SECRET, delivery);
    await ingress.post(ingress.path('github'), { headers: { ...headers, 'X-GitHub-Event': 'push' }, body });
    const [recorded] = await listHeaders('github');
    expect(recorded).toMatchObject({ 'x-github-event': 'push', 'x-github-delivery': 'd-1' });
    expect(Object.keys(recorded!).filter((name) => name.includes('signature'))).toEqual([]);
  });

  it('never hold the secret of the webhook', async () => {
    ingress = await startIngress({ webhooks: [{ recordHeaders: ['X-Request-Source'] }] });
    await ingress.post('hook', { headers: { 'X-Request-Source': `token ${TOKEN}` }, body: '{}' });
    expect((await listHeaders())[0]).toMatchObject({ 'x-request-source': '[redacted]' });
  });

  it('are cut if they are long, and are recorded for rejected requests and duplicates', async () => {
    ingress = await startIngress({ webhooks: [{ deliveryIdHeader: 'X-Id', recordHeaders: ['X-Long'] }] });
    const headers = { 'X-Id': '1', 'X-Long': 'x'.repeat(1001) };
    for (const body of ['{}', '{}', '{']) await ingress.post('hook', { headers, body });
    expect((await ingress.deliveries()).map(({ label }) => label)).toEqual([
      'Rejected (invalid JSON)',
      'Duplicate',
      'Accepted',
    ]);
    const long = (await listHeaders()).map((recorded) => recorded!['x-long']!.length);
    expect(long).toEqual([1000, 1000, 1000]);
  });
});

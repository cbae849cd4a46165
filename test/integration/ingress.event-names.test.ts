import { afterEach, describe, expect, it } from 'vitest';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../../src/definitions/signature/sign/sign-request.ts';
import { startIngress, type TestIngress } from '../helpers/start-ingress.ts';

const SECRET = 'a-secret-of-32-characters-at-all';
const GITHUB = { name: 'github', authMode: 'signature' as const, signatureScheme: 'github', secret: SECRET };

let ingress: TestIngress;

afterEach(() => ingress.close());

/** A signed request of GitHub. */
async function postEvent(event: string | null, body: object): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  const delivery = { url: '', body: bytes, nowMs: ingress.clock.wallMs(), deliveryId: '', newId: () => '' };
  const { headers } = signRequest(findScheme('github')!, SECRET, delivery);
  const named = event === null ? headers : { ...headers, 'X-GitHub-Event': event };
  const answer = await ingress.post(ingress.path('github'), { headers: named, body: bytes });
  expect(answer.status).toBe(202);
}

const listEvents = async () => (await ingress.deliveries('github')).map(({ event }) => event);

describe('the name of the event of a delivery', () => {
  it('is read where the scheme has it', async () => {
    ingress = await startIngress({ webhooks: [GITHUB] });
    await postEvent('pull_request', { action: 'opened', number: 1 });
    await postEvent('push', { ref: 'refs/heads/main' });
    await postEvent(null, { zen: 'x' });
    await postEvent('issues', { action: { nested: true } });
    expect(await listEvents()).toEqual(['issues', null, 'push', 'pull_request.opened']);
  });

  it('is read together with filters of the same and of other keys', async () => {
    ingress = await startIngress({
      webhooks: [GITHUB],
      automations: [
        { name: 'opened', webhook: 'github', payload: { action: ['opened'] } },
        { name: 'merged', webhook: 'github', payload: { pull_request: { merged: [true] } } },
      ],
    });
    await postEvent('pull_request', { action: 'opened', pull_request: { merged: false } });
    await postEvent('pull_request', { action: 'closed', pull_request: { merged: true } });
    expect(await listEvents()).toEqual(['pull_request.closed', 'pull_request.opened']);
    expect((await ingress.deliveries('github')).map(({ runs }) => runs.length)).toEqual([1, 1]);
  });

  it('is unknown for a rejected request and for a sender without a scheme', async () => {
    ingress = await startIngress({ webhooks: [GITHUB, { name: 'hook' }] });
    const headers = { 'X-GitHub-Event': 'push' };
    await ingress.post(ingress.path('github'), { headers, body: '{}' });
    await ingress.post('hook', { headers, body: '{}' });
    expect(await listEvents()).toEqual([null]);
    expect((await ingress.deliveries('hook')).map(({ event }) => event)).toEqual([null]);
  });

  it('is read where the definition has it, also in place of the scheme', async () => {
    ingress = await startIngress({
      webhooks: [
        { name: 'hook', event: { header: 'X-Event', path: 'data.kind' } },
        { ...GITHUB, event: { path: 'ref' } },
      ],
    });
    await ingress.post('hook', { headers: { 'X-Event': 'build' }, body: '{"data": {"kind": "failed"}}' });
    await ingress.post('hook', { body: '{"data": {"kind": "done"}}' });
    await postEvent('push', { ref: 'refs/heads/main', action: 'opened' });
    expect((await ingress.deliveries('hook')).map(({ event }) => event)).toEqual(['done', 'build.failed']);
    expect(await listEvents()).toEqual(['refs/heads/main']);
  });

  it('comes with a summary in one line, if the scheme has a template', async () => {
    ingress = await startIngress({ webhooks: [GITHUB, { name: 'hook' }] });
    const [repository, sender] = [{ full_name: 'octo/app' }, { login: 'ann' }];
    const title = '\u202eFix\u0007 the build\nand more';
    await postEvent('pull_request', { action: 'opened', repository, sender, pull_request: { number: 42, title } });
    await postEvent('push', { ref: 'refs/heads/main', repository, head_commit: { message: 'x'.repeat(200) } });
    await postEvent('ping', { repository: ['octo/app'], sender: { login: '' } });
    await ingress.post('hook', { body: JSON.stringify({ repository }) });
    expect((await ingress.deliveries('github')).map(({ summary }) => summary)).toEqual([
      null,
      `octo/app · ${'x'.repeat(99)}…`,
      'octo/app · #42 · Fix the build · ann',
    ]);
    expect((await ingress.deliveries('hook')).map(({ summary }) => summary)).toEqual([null]);
  });
});

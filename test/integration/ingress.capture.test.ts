import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../../src/definitions/signature/sign/sign-request.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { createDeliveryDiagnosis } from '../../src/ingress/diagnosis/diagnose-delivery.ts';
import { createDiagnosisThread } from '../../src/ingress/diagnosis/diagnosis-thread.ts';
import { createRequestHeaders } from '../../src/ingress/transport/request-headers.ts';
import { startIngress, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

const GITHUB = { name: 'github', authMode: 'signature', signatureScheme: 'github' } as const;
const BODY = '{"a":1}';

let ingress: TestIngress;
afterEach(() => ingress.close());

const thread = createDiagnosisThread(new URL('../../dist/ingress/diagnosis/diagnosis-worker.js', import.meta.url));
afterAll(() => thread.close());

/** The store behind the webhooks: version 1 is pinned, version 2 is newer. */
const secrets = {
  open: async (_name: string, version: number) => (version === 1 ? new SecretValue(TOKEN) : new SecretValue('newer')),
  resolve: async () => ({ outcome: 'found' as const, version: 2, value: new SecretValue('newer') }),
  versions: async () => {
    const history = { createdAt: 0, createdBy: null, replacedAt: null, replacedBy: null };
    return [{ version: 2, value: new SecretValue('newer'), ...history }];
  },
};

function sign(secret: string, body = BODY) {
  const delivery = { url: '', body: Buffer.from(body), nowMs: ingress.clock.wallMs(), deliveryId: null };
  return { headers: signRequest(findScheme('github')!, secret, { ...delivery, newId: () => 'id-1' }).headers, body };
}

async function diagnoseNewest(name: string) {
  const { captures } = ingress.context;
  const diagnose = createDeliveryDiagnosis({ inventory: ingress.storage.inventoryReader, secrets, captures, thread });
  return diagnose((await ingress.deliveries(name))[0]!);
}

describe('a capture window at the ingress', () => {
  it('keeps nothing while it is closed, and the diagnosis explains how to open it', async () => {
    ingress = await startIngress({ webhooks: [GITHUB] });
    expect((await ingress.post(ingress.path('github'), sign('wrong'))).status).toBe(401);
    ingress.context.captures.open(ingress.uid('github'), 60_000);
    expect(ingress.context.captures.state(ingress.uid('github'))).toMatchObject({ kept: 0 });
    expect(await diagnoseNewest('github')).toMatchObject({
      mistake: null,
      sentence: expect.stringContaining('dockbell webhook capture github --for 10m'),
    });
  });

  it('keeps only rejected requests of its webhook, with the exact bytes', async () => {
    ingress = await startIngress({ webhooks: [GITHUB, { ...GITHUB, name: 'other' }] });
    const { captures } = ingress.context;
    captures.open(ingress.uid('github'), 60_000);
    expect((await ingress.post(ingress.path('github'), sign(TOKEN))).status).toBe(202);
    expect((await ingress.post(ingress.path('github'), sign(TOKEN, '{no json'))).status).toBe(400);
    expect((await ingress.post(ingress.path('other'), sign('wrong'))).status).toBe(401);
    expect(captures.state(ingress.uid('github'))).toMatchObject({ kept: 0 });
    expect((await ingress.post(ingress.path('github'), sign('wrong'))).status).toBe(401);
    const [rejected] = await ingress.deliveries('github');
    const kept = captures.find(ingress.uid('github'), rejected!.id);
    expect(Buffer.from(kept!.body).toString()).toBe(BODY);
    expect(createRequestHeaders(kept!.rawHeaders).get('x-hub-signature-256')).toMatch(/^sha256=/);
  });

  it('lets the daemon name the mistake', async () => {
    ingress = await startIngress({ webhooks: [GITHUB, { name: 'bearer' }, { name: 'url', authMode: 'url_token' }] });
    for (const name of ['github', 'bearer', 'url']) ingress.context.captures.open(ingress.uid(name), 60_000);
    await ingress.post(ingress.path('github'), sign('newer'));
    expect(await diagnoseNewest('github')).toMatchObject({ mistake: 'new_secret_version' });
    await ingress.post(ingress.path('github'), { ...sign(TOKEN, `${BODY}\n`), body: BODY });
    expect(await diagnoseNewest('github')).toMatchObject({ mistake: 'body_newline' });
    await ingress.post(ingress.path('bearer'), { headers: { authorization: TOKEN }, body: BODY });
    expect(await diagnoseNewest('bearer')).toMatchObject({ mistake: 'token_prefix' });
    await ingress.post(`${ingress.path('url')}/wrong`, { body: BODY });
    expect(await diagnoseNewest('url')).toMatchObject({ mistake: 'url_token' });
    expect(ingress.context.captures.state(ingress.uid('url'))).toMatchObject({ kept: 0 });
    await ingress.post(ingress.path('github'), sign('hopeless'));
    const hopeless = await diagnoseNewest('github');
    expect(hopeless.mistake).toBeNull();
    expect(hopeless.tried).toContain('newer versions of the secret');
    expect(hopeless.tried).not.toContain('older versions of the secret');
    expect(JSON.stringify(hopeless)).not.toContain(TOKEN);
  });

  it('reports other kinds of rejections, and does not diagnose accepted deliveries', async () => {
    ingress = await startIngress({ webhooks: [GITHUB] });
    await ingress.post(ingress.path('github'), sign(TOKEN, '{no json'));
    expect(await diagnoseNewest('github')).toMatchObject({
      mistake: 'invalid_json',
      sentence:
        'The body is not valid JSON as RFC 8259 defines it (the byte at position 1 is 6E (n)): correct the JSON at the sender. ' +
        'The credentials are valid.',
    });
    await ingress.post(ingress.path('github'), sign(TOKEN, '\ufeff{}'));
    expect(await diagnoseNewest('github')).toMatchObject({ mistake: 'byte_order_mark' });
    await ingress.post(ingress.path('github'), sign(TOKEN));
    await expect(diagnoseNewest('github')).rejects.toMatchObject({ code: 'conflict' });
  });
});

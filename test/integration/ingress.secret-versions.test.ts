import { afterEach, describe, expect, it } from 'vitest';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../../src/definitions/signature/sign/sign-request.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { START_MS, startIngress, type TestIngress, type TestWebhook } from '../helpers/start-ingress.ts';

const BODY = '{"n":1}';
const SECRETS = ['', 'the-first-secret-of-the-team', 'the-second-secret-of-the-team', 'the-third-secret-of-the-team'];
const BEARER = { name: 'bearer', secret: SECRETS[2]!, secretVersion: 2 };
const URL_TOKEN = { ...BEARER, name: 'url', authMode: 'url_token' as const };
const GITHUB = { ...BEARER, name: 'github', authMode: 'signature' as const, signatureScheme: 'github' };

let ingress: TestIngress;
afterEach(() => ingress.close());

/** Starts with webhooks that check version 2 of a secret with three versions. */
async function start(webhooks: TestWebhook[] = [BEARER, URL_TOKEN, GITHUB]): Promise<void> {
  ingress = await startIngress({ webhooks });
  for (const [version, by] of [
    [1, 'alice'],
    [2, 'bob'],
    [3, null],
  ] as const) {
    ingress.clock.advance(1_000);
    await ingress.secretStore.put('CI_SECRET', new SecretValue(SECRETS[version]!), 'put', { by });
  }
}

function sign(secret: string, body = BODY) {
  const delivery = { url: '', body: Buffer.from(body), nowMs: ingress.clock.wallMs(), deliveryId: null };
  return { headers: signRequest(findScheme('github')!, secret, { ...delivery, newId: () => 'id-1' }).headers, body };
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, body: BODY });

async function findReason(name: string) {
  const [newest] = await ingress.deliveries(name);
  return [newest!.label, newest!.reason, newest!.detail];
}

const OLD = 'version 1 of CI_SECRET, replaced 2026-01-02T03:04:07.678Z by bob; the webhook checks version 2';
const NEW = 'version 3 of CI_SECRET, stored 2026-01-02T03:04:08.678Z; the webhook checks version 2';

describe('an overlap of two versions of the secret', () => {
  it.each(['bearer', 'url', 'github'])(
    'accepts both until it ends, and then explains the old one, for %s',
    async (name) => {
      const overlapping = { rotationOverlap: '1h', previousSecret: SECRETS[1]! };
      await start([BEARER, URL_TOKEN, GITHUB].map((webhook) => ({ ...webhook, ...overlapping })));
      let n = 0;
      const post = async (secret: string) => {
        const body = `{"n":${++n}}`;
        if (name === 'github') return (await ingress.post(ingress.path(name), sign(secret, body))).status;
        if (name === 'url') return (await ingress.post(`${ingress.path(name)}/${secret}`, { body })).status;
        return (await ingress.post(ingress.path(name), { ...bearer(secret), body })).status;
      };
      expect([await post(SECRETS[1]!), await post(SECRETS[2]!), await post(SECRETS[3]!)]).toEqual([202, 202, 401]);
      ingress.clock.advance(3_600_000);
      expect([await post(SECRETS[1]!), await post(SECRETS[2]!)]).toEqual([401, 202]);
      const old = (await ingress.deliveries(name)).find(({ reason }) => reason === 'old_secret_version');
      expect(old?.detail).toBe(OLD);
    },
  );

  it('does not let an earlier credential become the delivery ID', async () => {
    const hook = { ...BEARER, rotationOverlap: '1h', previousSecret: SECRETS[1]!, deliveryIdHeader: 'X-Id' };
    await start([hook]);
    const headers = { authorization: `Bearer ${SECRETS[2]}`, 'x-id': SECRETS[1]! };
    await ingress.post(ingress.path('bearer'), { headers, body: BODY });
    expect(JSON.stringify(await ingress.deliveries('bearer'))).not.toContain(SECRETS[1]);
  });
});

describe('a rejection that another version of the secret explains', () => {
  it.each(['bearer', 'url', 'github'])('says which version, and who replaced it when, for %s', async (name) => {
    await start();
    const post = (secret: string) => {
      if (name === 'github') return ingress.post(ingress.path(name), sign(secret));
      if (name === 'url') return ingress.post(`${ingress.path(name)}/${secret}`, { body: BODY });
      return ingress.post(ingress.path(name), bearer(secret));
    };
    const unknown = await post('an-unknown-secret-of-nobody');
    const wrong = name === 'github' ? 'bad_signature' : 'bad_credential';
    expect(await findReason(name)).toEqual(['Rejected (auth)', wrong, null]);
    for (const [version, reason, detail] of [
      [1, 'old_secret_version', OLD],
      [3, 'new_secret_version', NEW],
    ] as const) {
      const { status, body } = await post(SECRETS[version]!);
      expect({ status, body }).toEqual({ status: 401, body: unknown.body });
      expect(await findReason(name)).toEqual(['Rejected (auth)', reason, detail]);
    }
    expect((await post(SECRETS[2]!)).status).toBe(202);
    expect(ingress.seen.labels).toEqual([...Array(3).fill('Rejected (auth)'), 'Accepted']);
  });

  it('is not looked for if the request presents no credential or the failure budget is used up', async () => {
    ingress = await startIngress({ webhooks: [BEARER], limits: { failedAuthPerMinute: 2 } });
    let reads = 0;
    const { versions } = ingress.secretStore;
    ingress.secretStore.versions = (...args) => {
      reads += 1;
      return versions(...args);
    };
    await ingress.post(ingress.path('bearer'), { body: BODY });
    await ingress.deliveries('bearer');
    expect(reads).toBe(0);
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await ingress.post(ingress.path('bearer'), bearer('wrong'))).status);
    await ingress.deliveries('bearer');
    expect(statuses).toEqual([401, 429, 429, 429, 429]);
    expect(reads).toBe(1);
  });

  it('is looked for in at most 60 requests of a webhook in a minute, from any address', async () => {
    await start([GITHUB]);
    ingress.context.limits.admitFailure = () => ({ ok: true });
    const old = sign(SECRETS[1]!);
    for (let n = 0; n < 70; n++) await ingress.post(ingress.path('github'), old);
    const reasons = (await ingress.deliveries('github')).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'old_secret_version')).toHaveLength(60);
    expect(reasons.filter((reason) => reason === 'bad_signature')).toHaveLength(10);
  });

  it('knows a new version immediately, and an old one as long as it is stored', async () => {
    await start([BEARER]);
    await ingress.post(ingress.path('bearer'), bearer(SECRETS[1]!));
    const { version } = await ingress.secretStore.put('CI_SECRET', new SecretValue('brand-new-value'), 'update');
    ingress.context.versionTrials.forget('CI_SECRET');
    await ingress.post(ingress.path('bearer'), bearer('brand-new-value'));
    expect((await findReason('bearer'))[2]).toContain(`version ${version} of CI_SECRET`);
    const policy = { deliveriesMs: 1e12, minDeliveries: 50, identitiesMs: 1e12, runsMs: 1e12, auditMs: 1e12 };
    const { retention } = ingress.storage;
    await retention.prune({ ...policy, secretVersionsMs: 60_000 }, START_MS);
    await retention.prune({ ...policy, secretVersionsMs: 60_000 }, START_MS + 60_000);
    ingress.clock.advance(60_000);
    await ingress.post(ingress.path('bearer'), bearer(SECRETS[1]!));
    expect((await findReason('bearer'))[1]).toBe('bad_credential');
  });

  it('costs an accepted delivery nothing', async () => {
    await start([BEARER]);
    ingress.context.versionTrials.begin = () => {
      throw new Error('an accepted delivery must not be tried');
    };
    expect((await ingress.post(ingress.path('bearer'), bearer(SECRETS[2]!))).status).toBe(202);
  });
});

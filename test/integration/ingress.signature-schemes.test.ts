import { afterEach, describe, expect, it } from 'vitest';
import { SCHEMES } from '../../src/definitions/signature/schemes/schemes.ts';
import { buildSenderRequest } from '../../src/ingress/sender/build-request.ts';
import { makeSecrets } from '../helpers/scheme-secrets.ts';
import { BASE_URL, startIngress, type TestIngress } from '../helpers/start-ingress.ts';

let ingress: TestIngress | null = null;
afterEach(async () => {
  await ingress?.close();
  ingress = null;
});

const BODY = Buffer.from('{"type":"pallet.scanned","note":"Łódź"}');

const CUSTOM = {
  header: 'X-Sig',
  label: 'sha256',
  content: '{method} {url} {id} {timestamp} {body}',
  idHeader: 'X-Id',
  timestamp: { jsonPath: ['sentAt'], unit: 'rfc3339' },
};

const CASES = [
  ...SCHEMES.filter(({ name }) => name !== 'sns').map((scheme) => ({ name: scheme.name, scheme, signature: null })),
  { name: 'grafana', scheme: SCHEMES[0]!, signature: { header: 'X-G', timestamp: { header: 'X-G-Time' } } },
  { name: 'custom', scheme: SCHEMES[0]!, signature: CUSTOM },
];

const EXPECTS_200 = ['linear', 'paddle', 'teams', 'zoom'];

/** Schemes whose credential, body or answer differs. For every scheme, table-walk.test.ts verifies what was signed. */
const VARIED = ['github', 'gitlab', 'discord', 'travis', 'microsoft_graph', 'custom', ...EXPECTS_200];
const isVaried = ({ name }: { name: string }) => VARIED.includes(name);

describe('a webhook accepts requests over HTTP that `send` signs', () => {
  it.each(CASES.filter(isVaried))('$name $signature', expectAccepted);
  it.each(CASES.filter((one) => !isVaried(one)))('$name $signature', { tags: 'full' }, expectAccepted);

  async function expectAccepted({ name, scheme, signature }: (typeof CASES)[number]): Promise<void> {
    const { verifying, signing } = makeSecrets(scheme);
    const bodyFormat = name === 'travis' ? ('form' as const) : ('json' as const);
    const webhook = { authMode: 'signature' as const, signatureScheme: name, signature, bodyFormat };
    ingress = await startIngress({
      webhooks: [{ ...webhook, secret: verifying }],
      automations: [{ name: 'look', webhook: 'hook', payload: { type: ['pallet.scanned'] } }],
    });
    const path = ingress.path();
    const nowMs = ingress.clock.wallMs();
    const send = (secret: string) => {
      const target = {
        ...webhook,
        ingressUrl: `${BASE_URL}${path}`,
        deliveryIdHeader: null,
        deliveryIdPath: null,
        formField: null,
      };
      const request = buildSenderRequest(target, secret, {
        body: BODY,
        deliveryId: 'evt_1',
        nowMs,
        newId: () => 'new',
      });
      return ingress!.post(request.url.slice(BASE_URL.length), request);
    };

    expect((await send(signing)).status).toBe(EXPECTS_200.includes(name) ? 200 : 202);
    const [delivery] = await ingress.deliveries();
    expect(delivery!.label).toBe('Accepted');
    // Microsoft Graph has every event in a list, where the filter does not look.
    expect(delivery!.runs).toHaveLength(name === 'microsoft_graph' ? 0 : 1);

    const unsigned = await ingress.post(path, { body: BODY });
    expect(unsigned.status).toBe(401);
  }
});

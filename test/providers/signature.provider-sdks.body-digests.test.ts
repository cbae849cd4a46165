import { validateSignature as verifyLine } from '@line/bot-sdk';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { Webhooks as GitHubWebhooks } from '@octokit/webhooks';
import { sign as signGitHub, verify as verifyGitHub } from '@octokit/webhooks-methods';
import { ApiVersion, LogSeverity, shopifyApi } from '@shopify/shopify-api';
import '@shopify/shopify-api/adapters/node';
import { createSHA256HMAC as signShopify } from '@shopify/shopify-api/runtime';
import { describe, expect, it } from 'vitest';
import {
  expectBothToAccept,
  expectOursToAccept,
  OBJECTS,
  PAYLOADS,
  signByOurs,
} from '../helpers/provider-deliveries.ts';

const secret = "It's a Secret to Everybody";
const secrets = { signing: secret, verifying: secret };

describe.each(PAYLOADS)('the body %j', (body) => {
  it('GitHub: ours and @octokit/webhooks-methods accept what the other one signed', async () => {
    await expectOursToAccept('github', secret, {
      headers: { 'x-hub-signature-256': await signGitHub(secret, body) },
      body,
    });
    await expectBothToAccept('github', secrets, body, (delivery) =>
      verifyGitHub(secret, delivery.body, delivery.headers['x-hub-signature-256']!),
    );
  });

  it('GitHub: ours and @octokit/webhooks accept what the other one signed', async () => {
    const webhooks = new GitHubWebhooks({ secret });
    const theirs = await webhooks.sign(body);
    await expectOursToAccept('github', secret, { headers: { 'x-hub-signature-256': theirs }, body });
    await expectBothToAccept('github', secrets, body, (delivery) =>
      webhooks.verify(delivery.body, delivery.headers['x-hub-signature-256']!),
    );
  });

  it('LINE: @line/bot-sdk accepts what ours signs', async () => {
    await expectBothToAccept('line', secrets, body, (delivery) =>
      verifyLine(delivery.body, secret, delivery.headers['x-line-signature']!),
    );
  });

  // Both forms that the library knows; in each it requires further headers.
  it.each(['X-Shopify-', 'shopify-'])('Shopify: ours and @shopify/shopify-api accept headers %s*', async (prefix) => {
    const name = `${prefix}hmac-sha256`.toLowerCase();
    await expectOursToAccept('shopify', secret, { headers: { [name]: await signShopify(secret, body) }, body });
    const facts = { topic: 'orders/create', 'shop-domain': 'a.myshopify.com', 'api-version': '2026-01' };
    const named = Object.entries({ ...facts, 'webhook-id': 'w', 'event-id': 'e' });
    const beside = Object.fromEntries(named.map(([fact, value]) => [prefix + fact, value]));
    await expectBothToAccept('shopify', secrets, body, (delivery) => {
      const signature = delivery.headers['x-shopify-hmac-sha256']!;
      return verifyShopify(delivery.body, { ...beside, [name]: signature });
    });
  });
});

describe.each(OBJECTS)('the object %j', (object) => {
  it('Linear: @linear/sdk accepts what ours signs', async () => {
    const client = new LinearWebhookClient(secret);
    await expectBothToAccept('linear', secrets, object, ({ body, headers }) =>
      client.verify(Buffer.from(body), headers['linear-signature']!),
    );
  });
});

it('Linear: @linear/sdk returns the payload that ours signed', async () => {
  const { body, headers } = signByOurs('linear', secret, '{"type":"Issue","action":"create"}');
  const seen: unknown[] = [];
  const handle = new LinearWebhookClient(secret).createHandler();
  handle.on('*', (payload) => void seen.push(payload));
  const answer = await handle(new Request('https://hooks.example.com/', { method: 'POST', headers, body }));
  expect(answer.status).toBe(200);
  expect(seen).toEqual([JSON.parse(body)]);
});

const shopify = shopifyApi({
  apiKey: 'of_no_app',
  apiSecretKey: secret,
  apiVersion: ApiVersion.January26,
  hostName: 'hooks.example.com',
  isEmbeddedApp: false,
  logger: { level: LogSeverity.Error },
});

/** The library's result for a valid request; a missing header has another result. */
async function verifyShopify(rawBody: string, headers: Record<string, string>): Promise<boolean> {
  const result = await shopify.webhooks.validate({ rawBody, rawRequest: { headers }, rawResponse: {} });
  return result.valid;
}

import { randomBytes } from 'node:crypto';
import { Signature as HubSpotSignature } from '@hubspot/api-client/lib/src/utils/signature.js';
import { Paddle } from '@paddle/paddle-node-sdk';
import { isValidSlackRequest } from '@slack/bolt/dist/receivers/verify-request.js';
import { computeWebhookSignature as signBox } from 'box-node-sdk/internal/utilsNode';
import { WebhooksManager as BoxWebhooks } from 'box-node-sdk/managers/webhooks';
import OpenAI from 'openai';
import { validateWebhook as verifyReplicate } from 'replicate';
import { WebhooksHelper as SquareWebhooks } from 'square';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { generateSecret } from '../../src/definitions/signature/sign/generate-secret.ts';
import {
  expectBothToAccept,
  expectOursToAccept,
  PAYLOADS,
  type ProviderDelivery,
  signByOurs,
} from '../helpers/provider-deliveries.ts';

const secret = 'dock-Lm3_gangway:beacon~17';
const secrets = { signing: secret, verifying: secret };

describe.each(PAYLOADS)('the body %j', (body) => {
  it('Box: ours and box-node-sdk accept what the other one signed', async () => {
    const headers = {
      'box-signature-version': '1',
      'box-signature-algorithm': 'HmacSHA256',
      'box-delivery-id': 'evt_1',
      'box-delivery-timestamp': new Date().toISOString(),
    };
    const theirs = await signBox(body, headers, secret);
    await expectOursToAccept('box', secret, { headers: { ...headers, 'box-signature-primary': theirs! }, body });
    await expectBothToAccept('box', secrets, body, (delivery) =>
      BoxWebhooks.validateMessage(delivery.body, delivery.headers, secret),
    );
  });

  it('Box: ours and box-node-sdk accept the key that signs second', async () => {
    const { headers } = signByOurs('box', secret, body);
    const both = {
      ...headers,
      'box-signature-primary': signByOurs('box', 'another key', body).headers['box-signature-primary']!,
      'box-signature-secondary': headers['box-signature-primary']!,
    };
    await expectOursToAccept('box', secret, { headers: both, body });
    const options = { secondaryKey: secret };
    expect(await BoxWebhooks.validateMessage(body, both, 'a third key', options)).toBe(true);
  });

  it('HubSpot: ours and @hubspot/api-client accept what the other one signed', async () => {
    const url = 'https://hooks.example.com/webhooks/w/wh_1?portal=Łódź';
    const timestamp = Date.now();
    const theirs = HubSpotSignature.getSignature('POST', 'v3', {
      clientSecret: secret,
      requestBody: body,
      signature: '',
      url,
      timestamp,
    });
    const headers = { 'x-hubspot-signature-v3': theirs, 'x-hubspot-request-timestamp': String(timestamp) };
    await expectOursToAccept('hubspot_v3', secret, { headers, body, url });
    await expectBothToAccept('hubspot_v3', secrets, body, (delivery) => verifyHubSpot(delivery, url), url);
  });

  it('HubSpot: @hubspot/api-client needs the URL with the escapes decoded that ours decodes', async () => {
    const escaped = 'https://hooks.example.com/webhooks/w/wh_1?back=https%3A%2F%2Fa%2Fb%3Fc&kept=%20%26';
    const decoded = 'https://hooks.example.com/webhooks/w/wh_1?back=https://a/b?c&kept=%20%26';
    await expectBothToAccept('hubspot_v3', secrets, body, (delivery) => verifyHubSpot(delivery, decoded), escaped);
  });

  it('Paddle: @paddle/paddle-node-sdk accepts what ours signs', async () => {
    const { webhooks } = new Paddle('of_no_account');
    await expectBothToAccept('paddle', secrets, body, (delivery) =>
      webhooks.isSignatureValid(delivery.body, secret, delivery.headers['paddle-signature']!),
    );
  });

  it('Slack: @slack/bolt accepts what ours signs', async () => {
    await expectBothToAccept('slack', secrets, body, (delivery) =>
      isValidSlackRequest({
        signingSecret: secret,
        body: delivery.body,
        headers: {
          'x-slack-signature': delivery.headers['x-slack-signature']!,
          'x-slack-request-timestamp': Number(delivery.headers['x-slack-request-timestamp']),
        },
      }),
    );
  });

  it('Square: square accepts what ours signs', async () => {
    await expectBothToAccept('square', secrets, body, (delivery) =>
      SquareWebhooks.verifySignature({
        requestBody: delivery.body,
        signatureHeader: delivery.headers['x-square-hmacsha256-signature']!,
        signatureKey: secret,
        notificationUrl: delivery.url,
      }),
    );
  });

  it('Stripe: ours and stripe accept what the other one signed', async () => {
    const key = 'whsec_1MNUL8J+Daryfh2NZluOodAThg/KPACiEL8kPgWmeMU=';
    const { webhooks } = new Stripe('sk_test_of_no_account');
    const timestamp = Math.floor(Date.now() / 1000);
    const theirs = webhooks.generateTestHeaderString({ payload: body, secret: key, timestamp });
    await expectOursToAccept('stripe', key, { headers: { 'stripe-signature': theirs }, body });
    await expectBothToAccept('stripe', { signing: key, verifying: key }, body, (delivery) =>
      webhooks.constructEvent(delivery.body, delivery.headers['stripe-signature']!, key),
    );
  });
});

const whsec = generateSecret('standard_webhooks', randomBytes);
const whsecs = { signing: whsec, verifying: whsec };

describe.each(PAYLOADS)('under Standard Webhooks, the body %j', (body) => {
  it('standardwebhooks: ours and theirs accept what the other one signed', async () => {
    const library = new StandardWebhook(whsec);
    const now = new Date();
    const headers = nameHeaders('webhook', now, library.sign('evt_1', now, body));
    await expectOursToAccept('standard_webhooks', whsec, { headers, body });
    await expectBothToAccept('standard_webhooks', whsecs, body, (delivery) =>
      library.verify(delivery.body, { ...delivery.headers }),
    );
  });

  it('svix: ours and theirs accept what the other one signed', async () => {
    const library = new SvixWebhook(whsec);
    const now = new Date();
    const headers = nameHeaders('svix', now, library.sign('evt_1', now, body));
    await expectOursToAccept('standard_webhooks', whsec, { headers, body });
    await expectBothToAccept('standard_webhooks', whsecs, body, (delivery) =>
      library.verify(delivery.body, { ...delivery.headers }),
    );
  });

  it('OpenAI: openai accepts what ours signs', async () => {
    const { webhooks } = new OpenAI({ apiKey: 'of_no_account' });
    await expectBothToAccept('standard_webhooks', whsecs, body, (delivery) =>
      webhooks.unwrap(delivery.body, delivery.headers, whsec),
    );
  });

  it('Replicate: replicate accepts what ours signs', async () => {
    await expectBothToAccept('standard_webhooks', whsecs, body, (delivery) =>
      verifyReplicate({
        id: delivery.headers['webhook-id']!,
        timestamp: delivery.headers['webhook-timestamp']!,
        signature: delivery.headers['webhook-signature']!,
        body: delivery.body,
        secret: whsec,
      }),
    );
  });
});

function nameHeaders(family: string, now: Date, signature: string): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return { [`${family}-id`]: 'evt_1', [`${family}-timestamp`]: timestamp, [`${family}-signature`]: signature };
}

function verifyHubSpot({ headers, body }: ProviderDelivery, url: string): boolean {
  return HubSpotSignature.isValid({
    signatureVersion: 'v3',
    method: 'POST',
    clientSecret: secret,
    requestBody: body,
    url,
    signature: headers['x-hubspot-signature-v3']!,
    timestamp: Number(headers['x-hubspot-request-timestamp']),
  });
}

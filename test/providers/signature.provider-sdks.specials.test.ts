import { generateKeyPairSync, sign } from 'node:crypto';
import { EventEmitter } from 'node:events';
import https from 'node:https';
import { Readable } from 'node:stream';
import MessageValidator from 'sns-validator';
import {
  getExpectedBodyHash,
  getExpectedTwilioSignature,
  validateRequest,
  validateRequestWithBody,
} from 'twilio/lib/webhooks/webhooks.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SNS } from '../../src/definitions/signature/special/sns.ts';
import { TWILIO } from '../../src/definitions/signature/special/twilio.ts';
import { expectBothToAccept, expectOursToAccept, PAYLOADS } from '../helpers/provider-deliveries.ts';
import { toSignedRequest, WEBHOOK_URL } from '../helpers/signed-request.ts';

describe('Twilio', () => {
  const token = 'dock-Lm3_gangway:beacon~17';
  const secrets = { signing: token, verifying: token };

  it.each(PAYLOADS)('ours and twilio accept what the other one signed of the body %j', async (body) => {
    const url = `${WEBHOOK_URL}?bodySHA256=${getExpectedBodyHash(body)}`;
    const headers = { 'x-twilio-signature': getExpectedTwilioSignature(token, url, {}) };
    await expectOursToAccept('twilio', token, { headers, body, url });
    await expectBothToAccept('twilio', secrets, body, (delivery) =>
      validateRequestWithBody(token, delivery.headers['x-twilio-signature']!, delivery.url, delivery.body),
    );
  });

  it.each<[string, Record<string, string | string[]>]>([
    ['plain fields', { CallSid: 'CA1', Caller: '+14158675310', Digits: '1234' }],
    ['text of all sorts', { Body: 'Łódź 東京 🎈\r\na&b=c+d %20', From: 'whatsapp:+48', Empty: '', body: 'lower' }],
    ['several values of one name', { MediaUrl: ['b', 'a', 'a'], NumMedia: '3' }],
    ['no fields', {}],
  ])('ours accepts what twilio signed of a form with %s', async (_what, fields) => {
    const form = new URLSearchParams();
    for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) form.append(name, value);
    const headers = {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      'x-twilio-signature': getExpectedTwilioSignature(token, WEBHOOK_URL, fields),
    };
    await expectOursToAccept('twilio', token, { headers, body: `${form}` });
  });

  it('twilio accepts the form that ours signed', () => {
    const fields = { Body: 'Łódź a&b=c+d %20', From: '+48', Empty: '' };
    const body = Buffer.from(`${new URLSearchParams(fields)}`);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const delivery = { url: WEBHOOK_URL, body, headers, nowMs: 0, deliveryId: null, newId: () => '' };
    const signed = TWILIO.sign!(token, delivery);
    expect(validateRequest(token, signed.headers['X-Twilio-Signature']!, WEBHOOK_URL, fields)).toBe(true);
    expect(signed).toMatchObject({ body, query: '' });
  });

  it('ours accepts what twilio signed of the URL with its standard port', async () => {
    const url = WEBHOOK_URL.replace('.com/', '.com:443/');
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': getExpectedTwilioSignature(token, url, { Digits: '1234' }),
    };
    await expectOursToAccept('twilio', token, { headers, body: 'Digits=1234' });
  });
});

type Message = Readonly<Record<string, string>>;

describe('SNS', () => {
  const topic = 'arn:aws:sns:eu-central-1:123456789012:alarms';
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const notification: Message = {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: topic,
    Subject: 'Łódź 東京 🎈',
    Message: '{ "AlarmName": "disk",\r\n "ratio": 2.0 }\n',
    Timestamp: new Date().toISOString(),
    SignatureVersion: '2',
    SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem',
  };
  const { Subject: _, ...withoutSubject } = notification;
  const confirmation: Message = {
    ...withoutSubject,
    Type: 'SubscriptionConfirmation',
    Token: '2336412f37',
    SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription',
  };

  // The library fetches the certificate, and accepts a bare public key as one.
  beforeEach(() => {
    const pem = publicKey.export({ format: 'pem', type: 'spki' }) as string;
    const answer = (_url: unknown, take: (response: Readable) => void) => {
      take(Object.assign(Readable.from([pem]), { statusCode: 200 }));
      return new EventEmitter();
    };
    vi.spyOn(https, 'get').mockImplementation(answer as unknown as typeof https.get);
  });

  afterEach(() => void vi.restoreAllMocks());

  // Without the confirmation of an unsubscription: sns-validator 0.3.5 omits its token, which SNS signs according to its
  // documentation (and to aws/aws-js-sns-message-validator, pull request 4).
  it.each<[string, Message]>([
    ['a notification', notification],
    ['one without subject', withoutSubject],
    ['one of signature version 1', { ...notification, SignatureVersion: '1' }],
    ['the confirmation of a subscription', confirmation],
  ])('ours and sns-validator accept %s, and reject it with a changed signed field', async (_what, message) => {
    const signed: Message = { ...message, Signature: signText(message) };
    expect(await verifyBoth(signed)).toEqual({ ours: true, theirs: true });
    for (const name of Object.keys(signed).filter((one) => one !== 'SigningCertURL')) {
      expect(await verifyBoth({ ...signed, [name]: `A${signed[name]}` }), name).toEqual({ ours: false, theirs: false });
    }
  });

  it('neither accepts a certificate from another host', async () => {
    const SigningCertURL = 'https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-0.pem';
    const message: Message = { ...notification, SigningCertURL };
    const signed: Message = { ...message, Signature: signText(message) };
    expect(await verifyBoth(signed)).toEqual({ ours: false, theirs: false });
    expect(https.get).not.toHaveBeenCalled();
  });

  /** As the documentation of SNS describes: names and values, each on a separate line. */
  function signText(message: Message): string {
    const names = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    const text = names.filter((name) => name in message).map((name) => `${name}\n${message[name]}\n`);
    const digest = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
    return sign(digest, Buffer.from(text.join('')), privateKey).toString('base64');
  }

  async function verifyBoth(message: Message): Promise<{ ours: boolean; theirs: boolean }> {
    const body = JSON.stringify(message);
    const theirs = await new Promise<boolean>((resolve) => {
      new MessageValidator().validate(body, (error) => resolve(error === null));
    });
    const verify = SNS.compile(topic, async () => publicKey);
    const { ok } = await verify(toSignedRequest({ headers: {}, body: Buffer.from(body), nowMs: Date.now() }));
    return { ours: ok, theirs };
  }
});

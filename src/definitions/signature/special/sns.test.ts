import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resultOf, toSignedRequest } from '../../../../test/helpers/signed-request.ts';
import { createKeyFinder } from './signing-certificates.ts';
import { SNS } from './sns.ts';

const isTopicArn = (text: string) => SNS.findSecretFault(text) === null;

const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms';
const CERTIFICATE = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem';
const NOW_MS = 1_800_000_000_000;
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

type Message = Record<string, unknown>;

const NOTIFICATION: Message = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: TOPIC,
  Subject: 'Łódź',
  Message: '{"AlarmName":"disk"}',
  Timestamp: '2027-01-15T08:00:00.000Z',
  SignatureVersion: '2',
  SigningCertURL: CERTIFICATE,
};

const CONFIRMATION: Message = {
  ...NOTIFICATION,
  Type: 'SubscriptionConfirmation',
  Token: '2336412f37',
  SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription',
};

/** As the documentation of SNS describes: names and values, each on a separate line. */
function signMessage(message: Message): Message {
  const names =
    message.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const lines = names.filter((name) => message[name] != null).map((name) => `${name}\n${message[name]}\n`);
  const digest = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
  return { ...message, Signature: sign(digest, Buffer.from(lines.join('')), privateKey).toString('base64') };
}

function check(body: unknown, fetched: string[] = []) {
  const verify = SNS.compile(TOPIC, async (url) => {
    fetched.push(url);
    return publicKey;
  });
  return verify(toSignedRequest({ headers: {}, body: Buffer.from(JSON.stringify(body)), nowMs: NOW_MS }));
}

describe('a message of SNS', () => {
  const { Subject: _, ...withoutSubject } = NOTIFICATION;

  it.each([
    ['a notification', NOTIFICATION],
    ['one without subject', withoutSubject],
    ['one whose subject is null', { ...NOTIFICATION, Subject: null }],
    ['one of signature version 1', { ...NOTIFICATION, SignatureVersion: '1' }],
    ['the confirmation of a subscription', CONFIRMATION],
    ['that of its end', { ...CONFIRMATION, Type: 'UnsubscribeConfirmation' }],
  ])('verifies: %s', async (_what, message) => {
    expect(await check(signMessage(message))).toEqual({ ok: true, family: 'sns', identity: NOTIFICATION.MessageId });
  });

  it('with any changed signed field is rejected', async () => {
    const good = signMessage(CONFIRMATION);
    for (const name of ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token']) {
      expect(resultOf(await check({ ...good, [name]: `${good[name]}x` })), name).toBe('bad_signature');
    }
    expect(resultOf(await check({ ...signMessage(NOTIFICATION), Subject: undefined }))).toBe('bad_signature');
    expect(resultOf(await check({ ...signMessage(NOTIFICATION), SignatureVersion: '1' }))).toBe('bad_signature');
  });

  it('of another topic is rejected before anything is fetched', async () => {
    const fetched: string[] = [];
    const other = signMessage({ ...NOTIFICATION, TopicArn: TOPIC.replace('alarms', 'theirs') });
    expect(resultOf(await check(other, fetched))).toBe('wrong_sender');
    expect(fetched).toEqual([]);
  });

  it.each([
    'http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-0.pem',
    'https://evil.example/sns.eu-central-1.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.eu-central-1.amazonaws.com@evil.example/SimpleNotificationService-0.pem',
    'https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-0.pem',
    'https://bucket.s3.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.s3.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.eu-central-1.amazonaws.com/other/../SimpleNotificationService-0.pem',
    'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0.pem?x=.pem',
    'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0.pem\n',
    'https://169.254.169.254/SimpleNotificationService-0.pem',
  ])('never makes us fetch %j', async (url) => {
    const fetched: string[] = [];
    expect(resultOf(await check(signMessage({ ...NOTIFICATION, SigningCertURL: url }), fetched))).toBe('untrusted_key');
    expect(fetched).toEqual([]);
  });

  it('with a field of another type is rejected', async () => {
    const good = signMessage(NOTIFICATION);
    for (const name of Object.keys(good)) {
      for (const value of [null, 1, true, [], {}, [good[name]]]) {
        if (name === 'Subject' && value === null) continue;
        expect((await check({ ...good, [name]: value })).ok, `${name} ${JSON.stringify(value)}`).toBe(false);
      }
    }
    for (const body of [null, 1, 'x', [], [good], {}]) expect((await check(body)).ok).toBe(false);
  });

  it('is unavailable if the key cannot be fetched', async () => {
    const verify = SNS.compile(TOPIC, async () => null);
    const body = Buffer.from(JSON.stringify(signMessage(NOTIFICATION)));
    expect(await verify(toSignedRequest({ headers: {}, body, nowMs: NOW_MS }))).toMatchObject({
      reason: 'unavailable',
    });
  });
});

describe('the ARN of a topic', () => {
  it('is the only valid secret', () => {
    expect([TOPIC, 'arn:aws-cn:sns:cn-north-1:123456789012:x.fifo'].map(isTopicArn)).toEqual([true, true]);
    expect(
      ['', 'alarms', `${TOPIC} `, 'arn:aws:sqs:eu-central-1:123456789012:alarms', `${TOPIC}*`].map(isTopicArn),
    ).toEqual(Array(5).fill(false));
  });
});

describe('certificates', () => {
  const pem = readFileSync(new URL('../../../../test/vectors/sns/certificate.pem', import.meta.url), 'utf8');
  const HOUR_MS = 3_600_000;

  it('are fetched once a day', async () => {
    let fetches = 0;
    const find = createKeyFinder(async () => {
      fetches++;
      return pem;
    });
    const [one, two] = await Promise.all([find('a', NOW_MS), find('a', NOW_MS)]);
    expect(one?.asymmetricKeyType).toBe('rsa');
    expect(two).toBe(one);
    await find('a', NOW_MS + 23 * HOUR_MS);
    expect(fetches).toBe(1);
    await find('a', NOW_MS + 25 * HOUR_MS);
    expect(fetches).toBe(2);
  });

  it('that are invalid, expired or unavailable yield no key, and are not fetched again immediately', async () => {
    const answers = ['no certificate', new Error('refused'), pem];
    const asked: number[] = [];
    const find = createKeyFinder(async () => {
      const answer = answers[asked.length]!;
      asked.push(1);
      if (answer instanceof Error) throw answer;
      return answer;
    });
    expect(await find('a', NOW_MS)).toBeNull();
    expect(await find('a', NOW_MS + 1_000)).toBeNull();
    expect(asked).toHaveLength(1);
    expect(await find('b', NOW_MS)).toBeNull();
    const long = NOW_MS + 200 * 365 * 24 * HOUR_MS;
    expect(await find('c', long)).toBeNull();
    expect(asked).toHaveLength(3);
  });

  it('are fetched four at a time', async () => {
    const release: (() => void)[] = [];
    const find = createKeyFinder(() => new Promise((resolve) => release.push(() => resolve(pem))));
    const waiting = ['a', 'b', 'c', 'd'].map((url) => find(url, NOW_MS));
    expect(await find('e', NOW_MS)).toBeNull();
    for (const go of release) go();
    expect((await Promise.all(waiting)).every((key) => key !== null)).toBe(true);
    expect(release).toHaveLength(4);
  });
});

import { type KeyObject, verify as verifyWithKey } from 'node:crypto';
import {
  reject,
  type SignatureRejection,
  type SignatureResult,
  type SignedRequest,
  type VerifyResult,
} from '../verification.ts';
import { readJson } from '../verify/request-parts.ts';
import type { FindSigningKey } from './signing-certificates.ts';

/** `arn:<partition>:sns:<region>:<account>:<topic>`. */
const TOPIC_ARN = /^arn:aws(?:-[a-z]+)*:sns:([a-z0-9-]+):\d{12}:[A-Za-z0-9_-]{1,256}(?:\.fifo)?$/;

/** Which fields are signed, in this order, by the type of the message. `Subject` counts only where it is there. */
const SIGNED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
  ['UnsubscribeConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
]);

const DIGESTS: ReadonlyMap<unknown, string> = new Map([
  ['1', 'sha1'],
  ['2', 'sha256'],
]);

/**
 * Only a host of SNS itself, and only a file of the form that it uses: else we would fetch what a stranger names. No region
 * has a name of two letters; `sns.s3.amazonaws.com` is a bucket.
 */
const CERTIFICATE_URL =
  /^https:\/\/sns\.([a-z0-9-]{3,40})\.amazonaws\.com(?:\.cn)?\/SimpleNotificationService-[A-Za-z0-9]{1,64}\.pem$/;

/** Is this the ARN of a topic? Every customer of AWS can have SNS sign messages, so the secret says which topic is ours. */
export function isTopicArn(secretText: string): boolean {
  return TOPIC_ARN.test(secretText);
}

/** Verifies the canonical text of a message against the certificate it names. */
export function compileSnsVerifier(topicArn: string, findKey: FindSigningKey) {
  return async (request: SignedRequest): Promise<VerifyResult> => {
    const message = checkSnsMessage(request.json(), topicArn);
    if ('ok' in message) return message;
    const key = await findKey(message.certificateUrl, request.nowMs);
    if (key === null) return { ok: false, reason: 'unavailable', detail: null };
    return verifySnsMessage(message, key);
  };
}

/** All that can be checked without the certificate, and before it is fetched. */
export function checkSnsMessage(body: unknown, topicArn: string): SnsMessage | SignatureRejection {
  const message = readMessage(body);
  if ('ok' in message) return message;
  // Compared before anything is fetched: a message of another topic is not ours, whoever signed it.
  if (message.topicArn !== topicArn) return reject('wrong_sender', 'the message is of another topic');
  return isOfTopicRegion(message) ? message : reject('untrusted_key');
}

/** SNS signs with a key of the region that the topic is in. */
function isOfTopicRegion({ certificateUrl, topicArn }: SnsMessage): boolean {
  const region = CERTIFICATE_URL.exec(certificateUrl)?.[1];
  return region !== undefined && region === TOPIC_ARN.exec(topicArn)?.[1];
}

/** The signature itself, under the key of the certificate. */
export function verifySnsMessage({ id, digest, content, signature }: SnsMessage, key: KeyObject): SignatureResult {
  return verifyWithKey(digest, Buffer.from(content, 'utf8'), key, signature)
    ? { ok: true, family: 'sns', identity: id }
    : reject('bad_signature');
}

/** A message of the right form. */
export interface SnsMessage {
  id: string;
  topicArn: string;
  certificateUrl: string;
  digest: string;
  signature: Buffer;
  content: string;
}

/** A message whose every field has the right type, or why it is none. */
function readMessage(body: unknown): SnsMessage | SignatureRejection {
  const read = (name: string) => readJson(body, [name]);
  const signature = read('Signature');
  if (signature === undefined || signature === '') return reject('missing_credential');
  const digest = DIGESTS.get(read('SignatureVersion'));
  if (digest === undefined) return reject('malformed_signature', 'SignatureVersion is neither 1 nor 2');
  const bytes = decodeSignature(signature);
  if (bytes === null) return reject('malformed_signature', 'not base64');
  const type = read('Type');
  const names = typeof type === 'string' ? SIGNED_FIELDS.get(type) : undefined;
  if (names === undefined) return reject('missing_field', 'Type');
  const signed = names.filter((name) => name !== 'Subject' || (read(name) ?? null) !== null);
  const missing = [...signed, 'SigningCertURL'].find((name) => typeof read(name) !== 'string');
  if (missing !== undefined) return reject('missing_field', missing);
  return {
    ...{ id: read('MessageId') as string, topicArn: read('TopicArn') as string, digest, signature: bytes },
    certificateUrl: read('SigningCertURL') as string,
    content: signed.map((name) => `${name}\n${read(name)}\n`).join(''),
  };
}

function decodeSignature(text: unknown): Buffer | null {
  if (typeof text !== 'string') return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

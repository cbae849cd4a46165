import { type KeyObject, verify as verifyWithKey } from 'node:crypto';
import { isJsonObject, type JsonObject, readPath } from '../../../domain/json.ts';
import type { RejectedRequest, RequestVariant, SpecialMistake } from '../rejected-request.ts';
import type { SpecialScheme } from '../scheme.ts';
import { HOUR_SECONDS, retriesWithin } from '../schemes/parts.ts';
import {
  type FindSigningKey,
  reject,
  type SignatureRejection,
  type Verify,
  type VerifyResult,
} from '../verification.ts';

/** `arn:<partition>:sns:<region>:<account>:<topic>`. */
const TOPIC_ARN = /^arn:aws(?:-[a-z]+)*:sns:([a-z0-9-]+):\d{12}:[A-Za-z0-9_-]{1,256}(?:\.fifo)?$/;

/** The signed fields in their order, by the type of the message. `Subject` counts only if it is present. */
const SIGNED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
  ['UnsubscribeConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
]);

/** Every field that is read. */
const READ_PATHS = [
  ...new Set([...SIGNED_FIELDS.values(), 'Signature', 'SignatureVersion', 'SigningCertURL'].flat()),
].map((name) => [name]);

const DIGESTS: ReadonlyMap<unknown, string> = new Map([
  ['1', 'sha1'],
  ['2', 'sha256'],
]);

/**
 * Only hosts of SNS and only its file names: otherwise a sender could make us fetch any URL. At least three characters,
 * because `sns.s3.amazonaws.com` is a bucket and no region.
 */
const CERTIFICATE_URL =
  /^https:\/\/sns\.([a-z0-9-]{3,40})\.amazonaws\.com(?:\.cn)?\/SimpleNotificationService-[A-Za-z0-9]{1,64}\.pem$/;

/** Amazon SNS: fields of the body, signed with the key of a certificate that AWS publishes. */
export const SNS: SpecialScheme = {
  family: 'special',
  name: 'sns',
  title: 'Amazon SNS',
  event: { header: 'X-Amz-Sns-Message-Type' },
  summary: '{Subject|TopicArn}',
  signature: { in: 'json', path: ['Signature'] },
  identity: ['MessageId'],
  described: { digest: 'RSA', form: 'base64', content: 'fields of the body' },
  whenSecretIsIssued: 'app',
  canGenerateSecret: false,
  documentation: 'https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html',
  rejectedSecrets: [],
  retries: retriesWithin(HOUR_SECONDS, 'https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html'),
  secretHint: 'Write the ARN of the topic, for example arn:aws:sns:eu-central-1:123456789012:alarms.',
  findSecretFault: (secretText) => (isTopicArn(secretText) ? null : 'is not the ARN of a topic'),
  compile: compileVerifier,
  sign: null,
  signsUrl: false,
  needsCertificate: true,
  // AWS signs correctly, so the cause is the subscription, the stored ARN, or a change in transit. Only the last two
  // mistakes need the certificate.
  mistakes: [
    composeMistake('sns_raw_delivery', 'raw message delivery, which signs nothing', findRawDelivery),
    composeMistake('sns_message', 'the form of a message: type, signature, version', findForm),
    composeMistake('sns_topic', 'a topic of another version of the secret, region or account', findTopic),
    composeMistake('sns_certificate_url', 'the address of the certificate', findCertificateUrl),
    composeMistake('sns_signature_version', 'the other signature version (with `--certificate`)', findVersion),
    composeMistake('sns_changed_value', 'a trimmed value, or a missing `Subject` (with `--certificate`)', findChanged),
  ],
};

/** Is this the ARN of a topic? SNS signs messages for every AWS customer, so the secret names the topic to accept. */
function isTopicArn(secretText: string): boolean {
  return TOPIC_ARN.test(secretText);
}

/** Verifies the canonical text of a message against the certificate it names. */
function compileVerifier(topicArn: string, findKey: FindSigningKey): Verify {
  return (request) => {
    const message = checkMessage(request.json(READ_PATHS), topicArn);
    if ('ok' in message) return message;
    const key = findKey(message.certificateUrl, request.nowMs);
    return key instanceof Promise ? key.then((found) => verifyMessage(message, found)) : verifyMessage(message, key);
  };
}

/** Checks everything that needs no certificate, before the certificate is fetched. */
function checkMessage(body: unknown, topicArn: string): SnsMessage | SignatureRejection {
  const message = readMessage(body);
  if ('ok' in message) return message;
  // Compared before anything is fetched: messages of other topics are not accepted, even if AWS signed them.
  if (message.topicArn !== topicArn) return reject('wrong_sender', 'the message is from another topic');
  return isOfTopicRegion(message) ? message : reject('untrusted_key');
}

/** SNS signs with a key of the topic's region. */
function isOfTopicRegion({ certificateUrl, topicArn }: SnsMessage): boolean {
  const region = CERTIFICATE_URL.exec(certificateUrl)?.[1];
  return region !== undefined && region === TOPIC_ARN.exec(topicArn)?.[1];
}

/** Verifies the signature with the key of the certificate. */
function verifyMessage({ id, digest, content, signature }: SnsMessage, key: KeyObject | null): VerifyResult {
  if (key === null) return { ok: false, reason: 'unavailable', detail: null };
  return verifyWithKey(digest, Buffer.from(content, 'utf8'), key, signature)
    ? { ok: true, family: 'sns', identity: id }
    : reject('bad_signature');
}

/** A message of the correct form. */
interface SnsMessage {
  id: string;
  topicArn: string;
  certificateUrl: string;
  digest: string;
  signature: Buffer;
  content: string;
}

/** A message whose fields all have the correct type, or the rejection. */
function readMessage(body: unknown): SnsMessage | SignatureRejection {
  const read = (name: string) => readPath(body, [name]);
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
    id: read('MessageId') as string,
    topicArn: read('TopicArn') as string,
    digest,
    signature: bytes,
    certificateUrl: read('SigningCertURL') as string,
    content: signed.map((name) => `${name}\n${read(name)}\n`).join(''),
  };
}

function decodeSignature(text: unknown): Buffer | null {
  if (typeof text !== 'string') return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

function composeMistake(
  id: string,
  tried: string,
  find: (message: JsonObject | null, request: RejectedRequest) => string | null,
): SpecialMistake {
  return { id, tried, vary: (request) => listProven(request, find) };
}

function* listProven(
  request: RejectedRequest,
  find: (message: JsonObject | null, request: RejectedRequest) => string | null,
): Iterable<RequestVariant> {
  const sentence = find(parseMessage(request.body), request);
  if (sentence !== null) yield { isProven: true, sentence };
}

/** `null` if the body is not a JSON object. */
function parseMessage(body: Uint8Array): JsonObject | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function findRawDelivery(message: JsonObject | null, { headers }: RejectedRequest): string | null {
  const isRaw = headers.get('x-amz-sns-rawdelivery')?.toLowerCase() === 'true';
  const isBare = headers.get('x-amz-sns-message-id') !== undefined && message?.Signature === undefined;
  if (!isRaw && !isBare) return null;
  return 'Raw message delivery is enabled for this subscription, so the message arrives without its signature: disable it in the subscription (attribute `RawMessageDelivery`).';
}

const TEXT_VALUES = ['Type', 'MessageId', 'TopicArn', 'Message', 'Timestamp', 'Signature', 'SignatureVersion'] as const;

function findForm(message: JsonObject | null): string | null {
  if (message === null)
    return 'The body is not an SNS message, because it is not a JSON object: check who sends to this URL.';
  const missing = [...TEXT_VALUES, 'SigningCertURL'].find((name) => typeof message[name] !== 'string');
  if (missing !== undefined) {
    return `The body has no text \`${missing}\`, so it is not an unchanged SNS message: check who sends to this URL, and that no proxy or function unwraps the message.`;
  }
  if (!['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'].includes(message.Type as string)) {
    return 'The body has a `Type` that SNS does not send: check who sends to this URL.';
  }
  if (message.SignatureVersion === '1' || message.SignatureVersion === '2') return null;
  return 'The `SignatureVersion` is neither 1 nor 2: set the attribute `SignatureVersion` of the topic to 2.';
}

/** `arn`, partition, `sns`, region, account, name. */
const ARN_PARTS = ['', 'partition', '', 'region', 'account', 'name'] as const;

function findTopic(message: JsonObject | null, { secret, otherSecrets }: RejectedRequest): string | null {
  const topic = message?.TopicArn;
  if (typeof topic !== 'string' || topic === secret.text || ![topic, secret.text].every(isTopicArn)) return null;
  const other = otherSecrets.find(({ text }) => text === topic);
  if (other !== undefined) {
    return `The message is from the topic in version ${other.version} of the secret, but the webhook checks version ${secret.version}: subscribe the URL to the new topic, or store the ARN of the old topic again.`;
  }
  const stored = secret.text.split(':');
  const differing = topic.split(':').flatMap((part, at) => (part === stored[at] ? [] : [ARN_PARTS[at]!]));
  return `The message is from another topic than the secret names (another ${differing.join(' and ')}): store the ARN of the topic that sends the deliveries, or delete the subscription of the other topic.`;
}

function findCertificateUrl(message: JsonObject | null, { secret }: RejectedRequest): string | null {
  const url = message?.SigningCertURL;
  const checked = checkMessage(message, secret.text);
  if (!('ok' in checked) || checked.reason !== 'untrusted_key' || typeof url !== 'string') return null;
  if (/^http:/i.test(url)) {
    return 'The URL of the certificate begins with `http:`, but SNS uses `https:`: check that no proxy rewrites URLs in the body.';
  }
  return 'The certificate is not at `sns.<region>.amazonaws.com`: a test tool or an emulator of SNS sent the message, or it is forged. Send from AWS.';
}

function findVersion(message: JsonObject | null, request: RejectedRequest): string | null {
  const version = message?.SignatureVersion === '1' ? '2' : '1';
  if (message === null || !verifiesWith(request, { ...message, SignatureVersion: version })) return null;
  return `The message is signed with signature version ${version} but names another: check that nothing changes \`SignatureVersion\` in transit.`;
}

function findChanged(message: JsonObject | null, request: RejectedRequest): string | null {
  if (message === null) return null;
  const changed = [...listRestored(message)].some((restored) => verifiesWith(request, restored));
  if (!changed) return null;
  return 'A value of the message was changed after it was signed (line breaks, spaces or `Subject`): check that no proxy or function parses and serializes the body.';
}

/** The message as it may have been sent. SNS signs values, so the formatting of the JSON does not matter. */
function* listRestored(message: JsonObject): Iterable<JsonObject> {
  const { Subject: subject, Message: text } = message;
  if (subject !== undefined) {
    const { Subject: _, ...without } = message;
    yield without;
  }
  if (typeof text !== 'string') return;
  const unix = text.replaceAll('\r\n', '\n');
  const others = [`${text}\n`, text.trimEnd(), text.trim(), unix, unix.replaceAll('\n', '\r\n')];
  for (const Message of [...others, ...listJson(text)]) yield { ...message, Message };
}

/** If the text is JSON, the ways in which it may have been serialized before. */
function listJson(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return [JSON.stringify(value), JSON.stringify(value, null, 2), JSON.stringify(value, null, 4)];
  } catch {
    return [];
  }
}

function verifiesWith({ secret, signingKey }: RejectedRequest, message: JsonObject): boolean {
  if (signingKey === null) return false;
  const checked = checkMessage(message, secret.text);
  return !('ok' in checked) && verifyMessage(checked, signingKey).ok;
}

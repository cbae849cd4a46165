import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { checkSnsMessage, isTopicArn, verifySnsMessage } from '../special/sns.ts';
import type { Mistake, RejectedRequest, RequestVariant } from './mistake.ts';

/**
 * Mistakes with messages of SNS. AWS signs them right, so what is wrong is the subscription, the ARN that is stored, or
 * what happened on the way. Only the last needs the certificate.
 */
export const SNS_MISTAKES: readonly Mistake[] = [
  sns('sns_raw_delivery', 'raw message delivery, which signs nothing', findRawDelivery),
  sns('sns_message', 'the form of a message: its type, its signature, its version', findForm),
  sns('sns_topic', 'a topic of another version of the secret, region or account', findTopic),
  sns('sns_certificate_url', 'the address of the certificate', findCertificateUrl),
  sns('sns_signature_version', 'the other signature version (with `--certificate`)', findVersion),
  sns(
    'sns_changed_value',
    'a value that was trimmed, or a `Subject` that was lost (with `--certificate`)',
    findChanged,
  ),
];

function sns(
  id: string,
  tried: string,
  find: (message: JsonObject | null, request: RejectedRequest) => string | null,
): Mistake {
  return { id, tried, of: 'sns', vary: (request) => tellProven(request, find) };
}

function* tellProven(
  request: RejectedRequest,
  find: (message: JsonObject | null, request: RejectedRequest) => string | null,
): Iterable<RequestVariant> {
  if (request.scheme.name !== 'sns') return;
  const sentence = find(parse(request.body), request);
  if (sentence !== null) yield { isProven: true, sentence };
}

/** `null` for what is no JSON object. */
function parse(body: Uint8Array): JsonObject | null {
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
  return 'Raw message delivery is on for this subscription, so that the message arrives without its signature: turn it off in the subscription (attribute `RawMessageDelivery`).';
}

const VALUES = ['Type', 'MessageId', 'TopicArn', 'Message', 'Timestamp', 'Signature', 'SignatureVersion'] as const;

function findForm(message: JsonObject | null): string | null {
  if (message === null) return 'The body is no message of SNS, which is a JSON object: check who sends to this URL.';
  const missing = [...VALUES, 'SigningCertURL'].find((name) => typeof message[name] !== 'string');
  if (missing !== undefined) {
    return `The body lacks \`${missing}\`, or it is no text, so that it is no message of SNS as it was sent: check who sends to this URL, and let no proxy or function take the message out of its envelope.`;
  }
  if (!['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'].includes(message.Type as string)) {
    return 'The body has a `Type` that SNS does not send: check who sends to this URL.';
  }
  if (message.SignatureVersion === '1' || message.SignatureVersion === '2') return null;
  return 'The `SignatureVersion` is neither 1 nor 2: set the attribute `SignatureVersion` of the topic to 2.';
}

/** `arn`, partition, `sns`, region, account, name. */
const PARTS = ['', 'partition', '', 'region', 'account', 'name'] as const;

function findTopic(message: JsonObject | null, { secret, otherSecrets }: RejectedRequest): string | null {
  const topic = message?.TopicArn;
  if (typeof topic !== 'string' || topic === secret.text || ![topic, secret.text].every(isTopicArn)) return null;
  const other = otherSecrets.find(({ text }) => text === topic);
  if (other !== undefined) {
    return `The message is of the topic in version ${other.version} of the secret, while the webhook checks version ${secret.version}: subscribe the URL to the new topic, or store the ARN of the old one again.`;
  }
  const stored = secret.text.split(':');
  const differing = topic.split(':').flatMap((part, at) => (part === stored[at] ? [] : [PARTS[at]!]));
  return `The message is of another topic than the secret names (another ${differing.join(' and ')}): store the ARN of the topic that the deliveries come from, or delete the subscription of the other topic.`;
}

function findCertificateUrl(message: JsonObject | null, { secret }: RejectedRequest): string | null {
  const url = message?.SigningCertURL;
  const checked = checkSnsMessage(message, secret.text);
  if (!('ok' in checked) || checked.reason !== 'untrusted_key' || typeof url !== 'string') return null;
  if (/^http:/i.test(url)) {
    return 'The certificate is named under `http:` where SNS has `https:`: let no proxy rewrite addresses in the body.';
  }
  return 'The certificate is not named at `sns.<region>.amazonaws.com`: a test tool or a copy of SNS sent this, or the message is forged, so let AWS itself send.';
}

function findVersion(message: JsonObject | null, request: RejectedRequest): string | null {
  const version = message?.SignatureVersion === '1' ? '2' : '1';
  if (message === null || !verifiesWith(request, { ...message, SignatureVersion: version })) return null;
  return `The message is signed by signature version ${version} but says another: let nothing on the way write \`SignatureVersion\`.`;
}

function findChanged(message: JsonObject | null, request: RejectedRequest): string | null {
  if (message === null) return null;
  const changed = [...listRestored(message)].some((restored) => verifiesWith(request, restored));
  if (!changed) return null;
  return 'A value of the message was changed after it was signed (its line breaks, its blanks or its `Subject`): let no proxy or function parse and print the body.';
}

/** The message as it may have been: SNS signs values, so only a changed value counts, never how the JSON is printed. */
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

/** Where the text is JSON itself, as it may have been printed before. */
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
  const checked = checkSnsMessage(message, secret.text);
  return !('ok' in checked) && verifySnsMessage(checked, signingKey).ok;
}

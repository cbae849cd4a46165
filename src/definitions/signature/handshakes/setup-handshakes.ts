import { isJsonObject } from '../../../domain/json.ts';
import { readExactObject, readExactQuery } from './challenges.ts';
import { emptyAnswer, type HandshakeRow, jsonAnswer, reply, SECRET_PLACEHOLDER } from './handshake.ts';

const SNOWFLAKE = /^\d{1,20}$/;
/** A DNS name, as the specification of CloudEvents webhooks requires. */
const ORIGIN = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const HOOK_SECRET = /^[A-Za-z0-9_-]{16,128}$/;

/** Handshakes that do not ask for a challenge to be returned: secrets, permissions, pings, confirmations. */
export const SETUP_HANDSHAKES: readonly HandshakeRow[] = [
  {
    name: 'asana X-Hook-Secret',
    scheme: 'asana',
    phase: 'unsigned',
    needsVerifyToken: false,
    signs: false,
    respond: ({ query, headers, body }, { secretText }) => {
      const hookSecret = headers.get('x-hook-secret');
      if (hookSecret === undefined || headers.get('x-hook-signature') !== undefined) return null;
      if (query !== '' || !isEmptyMessage(body) || !HOOK_SECRET.test(hookSecret)) return null;
      if (secretText !== SECRET_PLACEHOLDER) return { do: 'reject', detail: 'this webhook does not wait for a secret' };
      if (hookSecret === SECRET_PLACEHOLDER) return { do: 'reject', detail: 'the placeholder is not a secret' };
      return { do: 'adopt', secretText: hookSecret, answer: emptyAnswer(200, ['X-Hook-Secret', hookSecret]) };
    },
  },
  {
    name: 'cloudevents OPTIONS',
    scheme: null,
    phase: 'options',
    needsVerifyToken: false,
    signs: false,
    respond: ({ headers, deliveriesPerMinute }) => {
      const origin = headers.get('webhook-request-origin') ?? '';
      if (!ORIGIN.test(origin)) return null;
      const allowed = ['WebHook-Allowed-Origin', origin, 'WebHook-Allowed-Rate', String(deliveriesPerMinute)];
      return reply(emptyAnswer(200, ['Allow', 'POST', ...allowed]));
    },
  },
  {
    name: 'discord PING',
    scheme: 'discord',
    phase: 'verified',
    needsVerifyToken: false,
    signs: false,
    respond: ({ payload }) => {
      if (isInteractionPing(payload)) return reply(jsonAnswer({ type: 1 }));
      const message = readExactObject(payload, ['version', 'application_id', 'type']);
      const isEventPing = message?.version === 1 && message.type === 0 && isSnowflake(message.application_id);
      // Discord requires a media type even for an answer without a body.
      return isEventPing ? reply(emptyAnswer(204, ['Content-Type', 'application/json'])) : null;
    },
  },
  {
    name: 'intercom HEAD',
    scheme: 'intercom',
    phase: 'head',
    needsVerifyToken: false,
    signs: false,
    respond: ({ query }) => (query === '' ? reply(emptyAnswer(200)) : null),
  },
  {
    name: 'sns SubscriptionConfirmation',
    scheme: 'sns',
    phase: 'verified',
    needsVerifyToken: false,
    signs: false,
    respond: ({ headers, payload }) => {
      if (headers.get('x-amz-sns-message-type') !== 'SubscriptionConfirmation') return null;
      const url = readSubscribeUrl(payload);
      return url === null ? null : { do: 'confirm', url, answer: emptyAnswer(200) };
    },
  },
  {
    name: 'sns UnsubscribeConfirmation',
    scheme: 'sns',
    phase: 'verified',
    needsVerifyToken: false,
    signs: false,
    // Recognized only by its signed type: with any content it reports no event, so it must not start anything.
    respond: ({ payload }) => {
      if (!isJsonObject(payload) || payload.Type !== 'UnsubscribeConfirmation') return null;
      return { do: 'answer', answer: emptyAnswer(200), detail: UNSUBSCRIBED };
    },
  },
];

function isSnowflake(value: unknown): boolean {
  return typeof value === 'string' && SNOWFLAKE.test(value);
}

/**
 * The interaction type 1 is always PING. Webhook events have that type too, but with an `event`; interactions of users
 * have `data`.
 */
function isInteractionPing(payload: unknown): boolean {
  if (!isJsonObject(payload) || payload.type !== 1) return false;
  return !Object.hasOwn(payload, 'data') && !Object.hasOwn(payload, 'event');
}

const UNSUBSCRIBED = 'the subscription was deleted at AWS; no deliveries arrive until the URL is subscribed again';

/** Asana sends no body, or an empty object. */
function isEmptyMessage(body: Uint8Array): boolean {
  return body.length === 0 || (body.length <= 16 && /^\s*\{\s*\}\s*$/.test(Buffer.from(body).toString('latin1')));
}

const TOPIC_REGION = /^arn:aws(?:-[a-z]+)*:sns:([a-z0-9-]{1,40}):\d{12}:[A-Za-z0-9_.-]{1,256}$/;
const SNS_TOKEN = /^[A-Za-z0-9]{1,1024}$/;

/**
 * The URL that confirms a subscription, if it is certainly a URL of SNS: a host in the region of the topic, and a query
 * with only this topic and this token. Otherwise a sender could make us fetch any URL. `null` for anything else.
 */
function readSubscribeUrl(message: unknown): string | null {
  if (!isJsonObject(message) || message.Type !== 'SubscriptionConfirmation') return null;
  const { TopicArn: topic, Token: token, SubscribeURL: text } = message;
  if (typeof topic !== 'string' || typeof token !== 'string' || typeof text !== 'string') return null;
  const region = TOPIC_REGION.exec(topic)?.[1];
  if (region === undefined || !SNS_TOKEN.test(token)) return null;
  const rest = stripBase(text, region);
  const query = rest === null ? null : readExactQuery(rest, ['Action', 'TopicArn', 'Token']);
  const isOurs = query?.Action === 'ConfirmSubscription' && query.TopicArn === topic && query.Token === token;
  return isOurs ? text : null;
}

/** The part after the `?`. Compared as text, so that no URL parser can interpret another host. */
function stripBase(url: string, region: string): string | null {
  const bases = [`https://sns.${region}.amazonaws.com/?`, `https://sns.${region}.amazonaws.com.cn/?`];
  const base = bases.find((candidate) => url.startsWith(candidate));
  const rest = base === undefined ? null : url.slice(base.length);
  return rest !== null && /^[A-Za-z0-9=&%:._~-]*$/.test(rest) ? rest : null;
}

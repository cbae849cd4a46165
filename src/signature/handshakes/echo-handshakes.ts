import { compileTokenCheck } from '../tokens/token.ts';
import { isEchoable, readExactObject, readExactQuery } from './challenges.ts';
import {
  type HandshakeKeys,
  type HandshakeReply,
  type HandshakeRequest,
  type HandshakeRow,
  jsonAnswer,
  reply,
  textAnswer,
} from './handshake.ts';

/** Graph's token is a sentence. What could be markup is left out. */
const GRAPH_TOKEN = /^[A-Za-z0-9 .,:;_~+/=()-]{1,512}$/;

/** Handshakes whose answer repeats the challenge. */
export const ECHO_HANDSHAKES: readonly HandshakeRow[] = [
  {
    name: 'slack url_verification',
    scheme: 'slack',
    title: 'Slack',
    phase: 'verified',
    needsVerifyToken: false,
    signs: false,
    documentation: 'https://docs.slack.dev/reference/events/url_verification',
    guide: {
      sends: 'a signed `POST` of `{"type": "url_verification", "token": …, "challenge": …}`',
      answered: 'the challenge as text',
      setUp:
        'Create the webhook with the signing secret of the app first, then paste its URL under "Event Subscriptions" as the Request URL; Slack shows "Verified" at once.',
    },
    respond: ({ payload }) => {
      const message = readExactObject(payload, ['type', 'token', 'challenge']);
      if (message?.type !== 'url_verification' || typeof message.token !== 'string') return null;
      return isEchoable(message.challenge) ? reply(textAnswer(message.challenge)) : null;
    },
  },
  {
    name: 'meta hub.challenge',
    scheme: 'meta',
    title: 'Meta (Facebook, Instagram, WhatsApp)',
    phase: 'get',
    needsVerifyToken: true,
    signs: false,
    documentation: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started',
    guide: {
      sends: '`GET ?hub.mode=subscribe&hub.challenge=…&hub.verify_token=…`',
      answered: 'the challenge as text, where the verify token is the one that the team chose',
      setUp:
        'Make up a verify token, store it as a team secret, and name that secret as `verifyTokenSecretName` beside the app secret in `secretName`. Paste the URL and the same verify token in the app dashboard under "Webhooks". Without `verifyTokenSecretName`, or with another token, a `GET` is answered with `405` as for any other webhook.',
    },
    respond: (request, keys) => answerHub(request, keys, (challenge) => reply(textAnswer(challenge))),
  },
  {
    name: 'strava hub.challenge',
    scheme: null,
    title: 'Strava',
    phase: 'get',
    needsVerifyToken: true,
    signs: false,
    documentation: 'https://developers.strava.com/docs/webhooks/',
    guide: {
      sends: '`GET ?hub.mode=subscribe&hub.challenge=…&hub.verify_token=…`',
      answered: '`{"hub.challenge": …}`, where the token in the URL and the verify token are right',
      setUp:
        'Strava signs nothing, so its webhook has `authMode: url_token`: the URL is the credential. Make up a verify token, store it as a team secret, and name that secret as `verifyTokenSecretName`. Then create the subscription with the whole URL as `callback_url` and the verify token as `verify_token`.',
    },
    respond: (request, keys) => answerHub(request, keys, (hub) => reply(jsonAnswer({ 'hub.challenge': hub }))),
  },
  {
    name: 'dropbox challenge',
    scheme: 'dropbox',
    title: 'Dropbox',
    phase: 'get',
    needsVerifyToken: false,
    signs: false,
    documentation: 'https://www.dropbox.com/developers/reference/webhooks',
    guide: {
      sends: '`GET ?challenge=…`',
      answered: 'the challenge as text',
      setUp:
        'Create the webhook with the app secret first, then add its URL under "Webhook URIs" in the App Console. Dropbox proves nothing about itself in this request, so whoever knows the URL can see that it is a Dropbox webhook.',
    },
    respond: ({ query }) => {
      const challenge = readExactQuery(query, ['challenge'])?.challenge;
      return isEchoable(challenge) ? reply(textAnswer(challenge)) : null;
    },
  },
  {
    name: 'okta verification',
    scheme: 'okta',
    title: 'Okta',
    phase: 'get',
    needsVerifyToken: false,
    signs: false,
    documentation: 'https://developer.okta.com/docs/concepts/event-hooks/',
    guide: {
      sends: '`GET` with the header `X-Okta-Verification-Challenge`, and the `Authorization` of every delivery',
      answered: '`{"verification": …}`, where the `Authorization` is right',
      setUp:
        'Create the event hook with the URL, the authentication field `Authorization` and the secret as its value, then press "Verify". A verification without the right `Authorization` is answered with `405` as for any other webhook.',
    },
    respond: ({ query, headers }, keys) => {
      const challenge = headers.get('x-okta-verification-challenge');
      if (query !== '' || challenge === undefined || !isEchoable(challenge)) return null;
      const isSender = compileTokenCheck(keys.secretText)(headers.get('authorization') ?? '');
      if (!isSender) return { do: 'reject', detail: 'the Authorization header is not the secret of this webhook' };
      return reply(jsonAnswer({ verification: challenge }));
    },
  },
  {
    name: 'microsoft_graph validationToken',
    scheme: 'microsoft_graph',
    title: 'Microsoft Graph',
    phase: 'unsigned',
    needsVerifyToken: false,
    signs: false,
    documentation: 'https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks',
    guide: {
      sends: '`POST ?validationToken=…` with an empty body',
      answered: 'the decoded token as text',
      setUp:
        'Create the webhook first, then the subscription with its URL as `notificationUrl` and the secret as `clientState`; Graph validates the URL before it answers. Graph proves nothing about itself in this request, so whoever knows the URL can see that it is a Graph webhook.',
    },
    respond: ({ query, body }) => {
      const token = body.length === 0 ? readExactQuery(query, ['validationToken'])?.validationToken : undefined;
      return token !== undefined && GRAPH_TOKEN.test(token) ? reply(textAnswer(token)) : null;
    },
  },
];

/** The subscription request that Meta made up and Strava took over. */
function answerHub(
  { query }: HandshakeRequest,
  keys: HandshakeKeys,
  compose: (challenge: string) => HandshakeReply,
): HandshakeReply | null {
  const hub = readExactQuery(query, ['hub.mode', 'hub.challenge', 'hub.verify_token']);
  if (hub === null || hub['hub.mode'] !== 'subscribe' || !isEchoable(hub['hub.challenge'])) return null;
  if (!keys.isVerifyToken(hub['hub.verify_token'])) {
    return { do: 'reject', detail: 'hub.verify_token is not the verify token of this webhook' };
  }
  return compose(hub['hub.challenge']);
}

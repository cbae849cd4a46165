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

/** Graph's token is a sentence. Characters that markup needs are excluded. */
const GRAPH_TOKEN = /^[A-Za-z0-9 .,:;_~+/=()-]{1,512}$/;

/** Handshakes whose answer repeats the challenge. */
export const ECHO_HANDSHAKES: readonly HandshakeRow[] = [
  {
    name: 'slack url_verification',
    scheme: 'slack',
    phase: 'verified',
    needsVerifyToken: false,
    signs: false,
    respond: ({ payload }) => {
      const message = readExactObject(payload, ['type', 'token', 'challenge']);
      if (message?.type !== 'url_verification' || typeof message.token !== 'string') return null;
      return isEchoable(message.challenge) ? reply(textAnswer(message.challenge)) : null;
    },
  },
  {
    name: 'meta hub.challenge',
    scheme: 'meta',
    phase: 'get',
    needsVerifyToken: true,
    signs: false,
    respond: (request, keys) => answerHub(request, keys, (challenge) => reply(textAnswer(challenge))),
  },
  {
    name: 'strava hub.challenge',
    scheme: null,
    phase: 'get',
    needsVerifyToken: true,
    signs: false,
    respond: (request, keys) => answerHub(request, keys, (hub) => reply(jsonAnswer({ 'hub.challenge': hub }))),
  },
  {
    name: 'dropbox challenge',
    scheme: 'dropbox',
    phase: 'get',
    needsVerifyToken: false,
    signs: false,
    respond: ({ query }) => {
      const challenge = readExactQuery(query, ['challenge'])?.challenge;
      return isEchoable(challenge) ? reply(textAnswer(challenge)) : null;
    },
  },
  {
    name: 'okta verification',
    scheme: 'okta',
    phase: 'get',
    needsVerifyToken: false,
    signs: false,
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
    phase: 'unsigned',
    needsVerifyToken: false,
    signs: false,
    respond: ({ query, body }) => {
      const token = body.length === 0 ? readExactQuery(query, ['validationToken'])?.validationToken : undefined;
      return token !== undefined && GRAPH_TOKEN.test(token) ? reply(textAnswer(token)) : null;
    },
  },
];

/** The subscription request of Meta, which Strava uses too. */
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

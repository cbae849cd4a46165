import { createHmac } from 'node:crypto';
import { isSafeToSign, readExactObject, readExactQuery } from './challenges.ts';
import { type HandshakeRow, jsonAnswer, reply } from './handshake.ts';

/**
 * Handshakes whose answer is a digest of the challenge under the webhook's secret. They must not become an oracle that
 * signs deliveries for strangers: see `isSafeToSign`.
 */
export const SIGNED_HANDSHAKES: readonly HandshakeRow[] = [
  {
    name: 'zoom endpoint.url_validation',
    scheme: 'zoom',
    title: 'Zoom',
    phase: 'verified',
    needsVerifyToken: false,
    signs: true,
    documentation: 'https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint',
    guide: {
      sends: 'a signed `POST` of `{"event": "endpoint.url_validation", "event_ts": …, "payload": {"plainToken": …}}`',
      answered: '`{"plainToken": …, "encryptedToken": …}`: the token and its HMAC-SHA256 in hex',
      setUp:
        'Create the webhook with the secret token of the app first, then add its URL under "Event Subscriptions" and press "Validate". Zoom repeats the validation every 72 hours.',
    },
    respond: ({ payload }, { secretText }) => {
      const message = readExactObject(payload, ['event', 'event_ts', 'payload']);
      if (message?.event !== 'endpoint.url_validation' || typeof message.event_ts !== 'number') return null;
      const plainToken = readExactObject(message.payload, ['plainToken'])?.plainToken;
      if (!isSafeToSign(plainToken)) return null;
      const encryptedToken = createHmac('sha256', secretText).update(plainToken).digest('hex');
      return reply(jsonAnswer({ plainToken, encryptedToken }));
    },
  },
  {
    name: 'x crc',
    scheme: 'x',
    title: 'X',
    phase: 'get',
    needsVerifyToken: false,
    signs: true,
    documentation: 'https://docs.x.com/x-api/webhooks/quickstart#2-the-crc-check',
    guide: {
      sends: '`GET ?crc_token=…&nonce=…`, at registration and again and again',
      answered: '`{"response_token": "sha256=…"}`: the HMAC-SHA256 of the token in base64',
      setUp:
        'Create the webhook with the secret of the app first, then register its URL. X takes no URL with a port. Only tokens of letters, digits, `-`, `_` and `=` that are no JSON value are signed, so that an answer is never the signature of a delivery.',
    },
    respond: ({ query }, { secretText }) => {
      const token = readExactQuery(query, ['crc_token'], ['nonce'])?.crc_token;
      if (!isSafeToSign(token)) return null;
      const digest = createHmac('sha256', secretText).update(token).digest('base64');
      return reply(jsonAnswer({ response_token: `sha256=${digest}` }));
    },
  },
];

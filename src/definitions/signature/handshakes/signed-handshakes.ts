import { createHmac } from 'node:crypto';
import { isSafeToSign, readExactObject, readExactQuery } from './challenges.ts';
import { type HandshakeRow, jsonAnswer, reply } from './handshake.ts';

/**
 * Handshakes whose answer is a digest of the challenge under the webhook's secret. They must not be usable as an oracle
 * that signs deliveries: see `isSafeToSign`.
 */
export const SIGNED_HANDSHAKES: readonly HandshakeRow[] = [
  {
    name: 'zoom endpoint.url_validation',
    scheme: 'zoom',
    phase: 'verified',
    needsVerifyToken: false,
    signs: true,
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
    phase: 'get',
    needsVerifyToken: false,
    signs: true,
    respond: ({ query }, { secretText }) => {
      const token = readExactQuery(query, ['crc_token'], ['nonce'])?.crc_token;
      if (!isSafeToSign(token)) return null;
      const digest = createHmac('sha256', secretText).update(token).digest('base64');
      return reply(jsonAnswer({ response_token: `sha256=${digest}` }));
    },
  },
];

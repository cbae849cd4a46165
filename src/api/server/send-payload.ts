import type { FastifyReply } from 'fastify';

/** Sends a body as it was received. As an attachment: a browser must store it, never show it (threat model W1). */
export function sendPayload(reply: FastifyReply, fileName: string, payload: Uint8Array): FastifyReply {
  return reply
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .header('content-type', 'application/json')
    .send(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength));
}

/** The exact bytes of a received body, as responses describe them. */
export const PAYLOAD_RESPONSE = {
  description: 'The exact bytes received.',
  content: { 'application/json': { schema: { description: 'Any JSON value.' } } },
};

import type { FastifyReply } from 'fastify';
import { FORM_TYPE } from '../../definitions/signature/verify/request-parts.ts';

/** Sends a payload. As an attachment: a browser must store it, never show it (threat model W1). */
export function sendPayload(reply: FastifyReply, fileName: string, payload: Uint8Array): FastifyReply {
  return sendAttachment(reply, fileName, 'application/json', payload);
}

/** Sends a form as it was received. */
export function sendForm(reply: FastifyReply, fileName: string, form: Uint8Array): FastifyReply {
  return sendAttachment(reply, fileName, FORM_TYPE, form);
}

function sendAttachment(reply: FastifyReply, fileName: string, type: string, bytes: Uint8Array): FastifyReply {
  return reply
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .header('content-type', type)
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** A payload, as responses describe it. */
export const PAYLOAD_RESPONSE = {
  description: 'The exact bytes received, or the JSON of a form.',
  content: { 'application/json': { schema: { description: 'Any JSON value.' } } },
};

/** A payload, or the form that was received. */
export const BODY_RESPONSE = {
  description: 'The exact bytes received. Without `exact`, the JSON of a form.',
  content: { ...PAYLOAD_RESPONSE.content, [FORM_TYPE]: { schema: { type: 'string' } } },
};

import type { HandshakeAnswer, HandshakeReply } from './handshake.ts';

/** A challenge as it came. Browsers must not take it for a page, whatever it holds. */
export function textAnswer(body: string): HandshakeAnswer {
  return { status: 200, mediaType: 'text/plain; charset=utf-8', body, headers: ['X-Content-Type-Options', 'nosniff'] };
}

export function jsonAnswer(value: Record<string, string | number>): HandshakeAnswer {
  const headers = ['X-Content-Type-Options', 'nosniff'];
  return { status: 200, mediaType: 'application/json', body: JSON.stringify(value), headers };
}

/** @param headers name, value, name, value */
export function emptyAnswer(status: 200 | 204, headers: readonly string[] = []): HandshakeAnswer {
  return { status, mediaType: null, body: '', headers };
}

/** The answer, and nothing else to do. */
export function reply(answer: HandshakeAnswer): HandshakeReply {
  return { do: 'answer', answer };
}

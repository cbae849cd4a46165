import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { type OutboundResponse, sendRequest } from './send-request.ts';

export type { OutboundResponse } from './send-request.ts';

/** A POST to a URL that the operator configured. */
export interface OutboundRequest {
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

interface SendOptions {
  /** Aborts the request, also while the body of the response is read. */
  signal: AbortSignal;
  /** Connections to use, for example those of `openGuardedConnections`. */
  connections?: Dispatcher | undefined;
  /** Called when the connection exists and the body of the request is about to be sent. */
  onSending?: () => void;
}

/** Posts over the network. Returns redirects, and does not follow them. Rejects if there is no response. */
export async function sendPost(
  { url, headers, body }: OutboundRequest,
  { signal, connections, onSending }: SendOptions,
): Promise<OutboundResponse> {
  const bytes = Buffer.from(body);
  const sized = { ...headers, 'Content-Length': String(bytes.length) };
  return sendRequest(
    { method: 'POST', url, headers: sized, body: announce(bytes, onSending) },
    { signal, connections },
  );
}

/** A stream is read when the connection exists. */
function announce(bytes: Buffer, onSending: (() => void) | undefined): Buffer | Readable {
  if (onSending === undefined) return bytes;
  return Readable.from(
    (function* () {
      onSending();
      yield bytes;
    })(),
    { objectMode: false },
  );
}

/** At most `maxBytes` from the beginning of a body. Ends the connection if the body is longer. */
export async function readBeginning(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop ends the connection.
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Ends the connection without reading the rest of a body. */
export async function discardBody(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body) break;
}

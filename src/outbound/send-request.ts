import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/** A request to a URL that somebody configured or named. */
export interface OutboundCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  url: string;
  headers: Record<string, string>;
  /** `null`: the request has no body. */
  body: Uint8Array | Readable | null;
}

/** The response. Header names are in lowercase. */
export interface OutboundResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: AsyncIterable<Uint8Array>;
}

/** Sends over the network. Returns redirects, and does not follow them. Rejects if there is no response. */
export async function sendRequest(
  { method, url, headers, body }: OutboundCall,
  { signal, connections }: { signal: AbortSignal; connections?: Dispatcher | undefined },
): Promise<OutboundResponse> {
  // Imported lazily: most daemons and commands send nothing.
  const { request: send } = await import('undici');
  const response = await send(url, {
    method,
    headers,
    body,
    signal,
    ...(connections === undefined ? {} : { dispatcher: connections }),
    // The signal limits the time.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { status: response.statusCode, headers: response.headers, body: response.body };
}

/** A whole body; `null`, and the connection ends, if it is longer than `maxBytes`. */
export async function readWhole(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop ends the connection.
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

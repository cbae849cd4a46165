import { AppError, messageOf } from '../core/errors.ts';
import type { SenderRequest } from './build-request.ts';

const TIMEOUT_MS = 30_000;
/** The ingress answers with a few hundred bytes; more comes from something that is not the ingress. */
const MAX_RESPONSE_BYTES = 1_048_576;

/** What the other side answered. Names of headers in lowercase. */
export interface DeliveryResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Posts a delivery and answers with whatever comes back, redirects included: they are not followed. Throws
 * `ingress_unreachable` where no whole answer comes within 30 seconds; the message names the host, never the path.
 */
export async function postDelivery(request: SenderRequest): Promise<DeliveryResponse> {
  const { origin } = new URL(request.url);
  // Loaded where it is needed: most commands post nothing.
  const { request: send } = await import('undici');
  try {
    const response = await send(request.url, {
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await readText(response.body);
    return { status: response.statusCode, headers: flattenHeaders(response.headers), body: text };
  } catch (cause) {
    throw new AppError('ingress_unreachable', `No answer from ${origin}: ${messageOf(cause)}.`, { cause });
  }
}

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error(`the answer is longer than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

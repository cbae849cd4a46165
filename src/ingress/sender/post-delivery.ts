import { AppError, messageOf } from '../../domain/errors.ts';
import type { SenderRequest } from './build-request.ts';

const TIMEOUT_MS = 30_000;
/** The ingress answers with a few hundred bytes; a longer response is not from the ingress. */
const MAX_RESPONSE_BYTES = 1_048_576;

/** The response of the ingress. Header names are in lowercase. */
export interface DeliveryResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Posts a delivery and returns the response. Redirects are returned, not followed. Throws `ingress_unreachable` if no
 * complete response arrives within 30 seconds; the message names the host, never the path.
 */
export async function postDelivery(request: SenderRequest): Promise<DeliveryResponse> {
  const { origin } = new URL(request.url);
  // Imported lazily: most commands post nothing.
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
    throw new AppError('ingress_unreachable', `No response from ${origin}: ${messageOf(cause)}.`, { cause });
  }
}

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error(`the response is longer than ${MAX_RESPONSE_BYTES} bytes`);
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

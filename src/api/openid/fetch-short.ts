import type { CustomFetch } from 'openid-client';

/** Discovery documents, keys, tokens and claims are a few kilobytes. */
const MAX_BYTES = 1_048_576;

/** As `fetch`, for short answers: throws where one is longer than a megabyte, before it is all in memory. */
export const fetchShort: CustomFetch = async (url, { body, ...options }) => {
  // The library's type of the body is wider than that of Node.js; what it sends are forms.
  const response = await fetch(url, { ...options, body: body as RequestInit['body'] });
  const bytes = await readShort(response);
  const { status, statusText, headers } = response;
  return new Response(bytes.length === 0 ? null : bytes, { status, statusText, headers });
};

async function readShort({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

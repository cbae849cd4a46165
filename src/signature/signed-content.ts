import type { ContentPart } from './schemes.ts';

/** What a request puts into the places of a scheme's signed content. */
export interface ContentValues {
  /** As received; `''` where the content has no such part. */
  timestamp: string;
  /** As received; `''` where the content has no such part. */
  identity: string;
  body: Uint8Array;
}

/**
 * Hands what is signed to `feed`, piece by piece, so that the body is never copied. Texts come from headers, in which
 * every byte received is one character: they go back to bytes as Latin-1.
 */
export function feedContent(
  content: readonly ContentPart[],
  values: ContentValues,
  feed: (bytes: Uint8Array | string, encoding: 'latin1') => void,
): void {
  let text = '';
  for (const part of content) {
    if (part.part !== 'body') {
      text += part.part === 'text' ? part.text : values[part.part];
      continue;
    }
    if (text !== '') feed(text, 'latin1');
    text = '';
    feed(values.body, 'latin1');
  }
  if (text !== '') feed(text, 'latin1');
}

/** The signed content as one buffer, for algorithms that cannot take it in pieces. */
export function joinContent(content: readonly ContentPart[], values: ContentValues): Buffer {
  const pieces: Uint8Array[] = [];
  feedContent(content, values, (piece) =>
    pieces.push(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece),
  );
  return Buffer.concat(pieces);
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';

/** Room for a payload of the ingress's largest size in base64, and for ones that are meant to be too large. */
export const MAX_BODY_BYTES = 1_048_576;

/**
 * One parser for every body, so that no spelling of `Content-Type` leads past it or past a schema (threat model N4).
 * Everything except JSON is rejected, which also blocks forms of other web pages (W2). `JSON.parse` makes `__proto__` a
 * plain property, which the schemas then reject; nothing here merges bodies into other objects (N10).
 */
export function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    async (request: FastifyRequest, body: Buffer) => parseBody(request.headers['content-type'], body),
  );
}

class UnsupportedMediaType extends Error {
  readonly statusCode = 415;
  readonly code = 'unsupported_media_type';
}

function parseBody(contentType: string | undefined, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const mediaType = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new UnsupportedMediaType('Bodies are JSON: send them with "Content-Type: application/json".');
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch (error) {
    throw new AppError('bad_request', 'The body is not valid JSON in UTF-8.', { cause: error });
  }
}

import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Do the answers of the route carry an `ETag`? For the OpenAPI document. */
    tagged?: true;
  }
}

/**
 * Completes the `ETag` of an answer with a digest of its representation, and answers 304 to a read whose `If-None-Match`
 * names it (RFC 9110, section 13.1.2). The part that a route sets covers what an edit can change, and is all that
 * `If-Match` asks about: a delivery that arrives in between changes the representation and disturbs no edit.
 */
export function answerConditionally(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const tag = reply.getHeader('etag');
    if (typeof tag !== 'string' || typeof payload !== 'string') return payload;
    const complete = `${tag.slice(0, -1)}.${digest(payload)}"`;
    void reply.header('etag', complete);
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const named = findNamed(request.headers['if-none-match'], [complete, tagCompressed(complete)]);
    if (!reads || reply.statusCode !== 200 || named === null) return payload;
    void reply.code(304).header('etag', named).removeHeader('content-type').removeHeader('content-length');
    return '';
  });
}

/** The tags of an `If-Match` as the routes set them, without the digests of representations. */
export function omitRepresentations(ifMatch: string): string {
  return ifMatch.replaceAll(/\.[\w-]+"/g, '"');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** The tag of the same representation when it is compressed: a tag names exact bytes (RFC 9110, section 8.8.3.3). */
export function tagCompressed(tag: string): string {
  return `${tag.slice(0, -1)}-gzip"`;
}

/** The first of the tags that the header names. Compared weakly: a proxy that compresses answers marks the tag as weak. */
function findNamed(ifNoneMatch: string | undefined, tags: readonly string[]): string | null {
  const named = (ifNoneMatch ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return tags.find((tag) => named.includes('*') || named.includes(tag)) ?? null;
}

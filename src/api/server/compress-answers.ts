import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tagCompressed } from './answer-conditionally.ts';

const compress = promisify(gzip);

/** Below this size, the headers of compression cost more than it saves. */
const MIN_CHARACTERS = 1024;

/**
 * Compresses the JSON that the API composes for reads. Everything else goes out as it is: answers to changes, which can
 * hold a secret that is shown once together with values that the caller chose (BREACH), stored bodies, logs and streams.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isCompressible(request, reply)) return payload;
    void reply.header('vary', 'accept-encoding');
    if (payload.length < MIN_CHARACTERS || !acceptsGzip(request.headers['accept-encoding'])) return payload;
    const compressed = await compress(payload);
    void reply.header('content-encoding', 'gzip').header('content-length', compressed.length);
    const tag = reply.getHeader('etag');
    if (typeof tag === 'string') void reply.header('etag', tagCompressed(tag));
    return compressed;
  });
}

function isCompressible({ method, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  // The CSRF token is a secret of the browser that reads it.
  const isSecret = routeOptions.url?.endsWith('/session') === true;
  const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
  return method === 'GET' && isJson && !isSecret;
}

export function acceptsGzip(header: string | string[] | undefined): boolean {
  const offers = String(header ?? '')
    .toLowerCase()
    .split(',');
  return offers.some((offer) => {
    const [name, ...parameters] = offer.split(';').map((part) => part.trim());
    const isExcluded = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return (name === 'gzip' || name === '*') && !isExcluded;
  });
}

import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReplicaGroup } from '../../core/ports/replicas.ts';
import { isUnderApi } from './enforce-access.ts';
import { describeProblem, sendProblem } from './problem.ts';

/** Marks a request that another replica forwarded, which is not forwarded again. */
const FORWARDED = 'x-dockbell-forwarded';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Is the route about this replica, so that no other one answers it? */
    ofReplica?: true;
  }
}

/** A leader that cannot be reached is replaced in about this time. */
const RETRY_AFTER_SECONDS = 5;

/** Headers of one connection (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer']);

/**
 * Gives requests of the management API to the replica that leads, because only it knows what is in progress. Pages, metrics,
 * health and routes with `ofReplica` are those of this replica.
 */
export function createForwardHook(group: Pick<ReplicaGroup, 'isLeader' | 'findLeader'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (group.isLeader || request.routeOptions.config.ofReplica || !needsLeader(request.url)) return undefined;
    const leader = request.headers[FORWARDED] === undefined ? await group.findLeader() : null;
    if (leader === null || leader.adminUrl === null) return answerWithoutLeader(reply);
    return forward(request, reply, leader.adminUrl);
  };
}

/** The sign-in at a provider begins and ends at the same replica. */
function needsLeader(url: string): boolean {
  return isUnderApi(url) || url.startsWith('/auth/');
}

function answerWithoutLeader(reply: FastifyReply): FastifyReply {
  const detail = 'No replica leads at the moment. Another one takes the lead within 20 seconds. Repeat the request.';
  return sendProblem(reply.header('retry-after', RETRY_AFTER_SECONDS), describeProblem('not_leading', detail));
}

/** Sends the request and the answer as they come, also those that take long. Resolves when the answer begins. */
function forward(request: FastifyRequest, reply: FastifyReply, adminUrl: string): Promise<FastifyReply> {
  const { raw } = request;
  const send = adminUrl.startsWith('https:') ? requestHttps : requestHttp;
  const headers = {
    ...omitHopByHop(raw.headers),
    [FORWARDED]: '1',
    'x-forwarded-for': request.ip,
    'x-forwarded-proto': request.protocol,
  };
  const asked = send(new URL(request.url, adminUrl), { method: raw.method, headers, agent: false });
  return new Promise((resolve) => {
    asked.once('response', (answer) => {
      resolve(reply.hijack());
      reply.raw.writeHead(answer.statusCode!, omitHopByHop(answer.headers));
      answer.pipe(reply.raw);
      answer.once('error', () => reply.raw.destroy());
      reply.raw.once('close', () => asked.destroy());
    });
    asked.once('error', () => {
      if (reply.sent) reply.raw.destroy();
      else resolve(answerWithoutLeader(reply));
    });
    raw.pipe(asked);
  });
}

function omitHopByHop<Headers extends Record<string, unknown>>(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name))) as Headers;
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReplicaGroup } from '../../domain/ports/replicas.ts';
import { isUnderApi } from './enforce-access.ts';
import { forwardRequest, reasonOfForward } from './forward-request.ts';
import { describeProblem, sendProblem } from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Is the route about this replica, so that no other one answers it? */
    ofReplica?: true;
    /** Does the route read files of a replica, to which the leader forwards requests? */
    readsFiles?: true;
  }
}

/** A leader that cannot be reached is replaced in about this time. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Gives requests of the management API to the replica that leads, because only it knows what is in progress. Pages, metrics,
 * health and routes with `ofReplica` are those of this replica.
 */
export function createForwardHook(group: Pick<ReplicaGroup, 'isLeader' | 'findLeader'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { config } = request.routeOptions;
    if (group.isLeader || config.ofReplica || !needsLeader(request.url)) return undefined;
    const reason = reasonOfForward(request);
    if (reason === 'files' && config.readsFiles) return undefined;
    const leader = reason === null ? await group.findLeader() : null;
    if (leader === null || leader.adminUrl === null) return answerWithoutLeader(reply);
    const isForwarded = await forwardRequest(request, reply, leader.adminUrl, 'leader');
    return isForwarded ? reply : answerWithoutLeader(reply);
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

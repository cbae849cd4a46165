import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Json } from '../../domain/json.ts';
import type { ReplicaGroup } from '../../domain/ports/replicas.ts';
import type { ArtifactOwner } from '../../domain/ports/run-files.ts';
import { askReplica, forwardRequest, reasonOfForward } from '../server/forward-request.ts';

/**
 * Forwards a request for artifacts from the leader to the replica that has them: the one that executed the attempt, or that led
 * when a worker uploaded them. Resolves with `false` if no other replica has them.
 */
export async function forwardToHolder(
  request: FastifyRequest,
  reply: FastifyReply,
  owner: ArtifactOwner,
  group: Pick<ReplicaGroup, 'list'>,
): Promise<boolean> {
  if (reasonOfForward(request) === 'files') return false;
  for (const { isLeader, isAlive, adminUrl } of await group.list()) {
    if (isLeader || !isAlive || adminUrl === null) continue;
    if (await hasArtifacts(request, adminUrl, owner)) return forwardRequest(request, reply, adminUrl, 'files');
  }
  return false;
}

async function hasArtifacts(
  request: FastifyRequest,
  adminUrl: string,
  { run, attempt }: ArtifactOwner,
): Promise<boolean> {
  const answer = await askReplica(request, adminUrl, `/api/v1/runs/${run}/artifacts?attempt=${attempt}`, 'files');
  const { data } = (answer ?? {}) as { data?: readonly { size: Json }[] };
  return data?.some(({ size }) => size !== null) === true;
}

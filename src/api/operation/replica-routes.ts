import type { FastifyInstance } from 'fastify';
import type { ListedReplica, ReplicaGroup } from '../../domain/ports/replicas.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { listOf } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import type { PageQuery } from '../server/page-query.ts';
import { pageOf, SHORT_LIST_QUERY } from '../server/page-query.ts';

/** `GET /replicas`. */
export function replicasPlugin(app: FastifyInstance, group: Pick<ReplicaGroup, 'list'>): void {
  app.get<{ Querystring: PageQuery }>(
    '/replicas',
    {
      config: { access: requireRole('viewer', 'team') },
      schema: {
        tags: ['Operation'],
        summary: 'List the daemons that share the database, the longest-lived first',
        description: 'With SQLite, this daemon alone.',
        querystring: SHORT_LIST_QUERY,
        response: { 200: listOf('Replica') },
      },
    },
    async (request) => {
      const page = pageOf(
        await group.list(),
        request.query,
        ({ startedAt, id }) => `${formatInstant(startedAt)} ${id}`,
      );
      return { data: page.data.map(presentReplica), next_cursor: page.nextCursor };
    },
  );
}

function presentReplica({ id, name, version, isLeader, isAlive, seenMsAgo, behind, ...replica }: ListedReplica) {
  return {
    id,
    name,
    version,
    role: isLeader ? 'leader' : 'follower',
    alive: isAlive,
    seen_seconds_ago: Math.round(seenMsAgo / 1000),
    started_at: formatInstant(replica.startedAt),
    ingress_url: replica.ingressUrl,
    admin_url: replica.adminUrl,
    behind,
  };
}

import type { ListedReplica, Replica, ReplicaGroup } from '../core/ports/replicas.ts';

/** A daemon without others: it leads. */
export function createLoneGroup(self: Omit<Replica, 'isLeader' | 'seenMsAgo'>): ReplicaGroup {
  let described: ListedReplica = { ...self, isLeader: true, seenMsAgo: 0, isAlive: true, behind: [] };
  return {
    isLeader: true,
    onLead: (begin) => begin(),
    list: async () => [described],
    findLeader: async () => described,
    untilLive: async () => [],
    start: async (addresses) => {
      described = { ...described, ...addresses };
    },
    stop: async () => {},
  };
}

import type { LocalCaptures, SharedCaptureControl } from '../../domain/ports/delivery-control.ts';
import type { ListedReplica, Replica, ReplicaGroup } from '../../domain/ports/replicas.ts';

/** The capture windows of a daemon without others. */
export function keepCapturesAlone(local: LocalCaptures): SharedCaptureControl {
  return {
    open: (webhook, forMs) => local.open(webhook, forMs),
    close: (webhook) => local.close(webhook),
    state: (webhook) => local.state(webhook),
    shareDiagnosis: (diagnoseHere) => diagnoseHere,
  };
}

/** A daemon without others: it leads. */
export function createLoneGroup(self: Omit<Replica, 'isLeader' | 'seenMsAgo'>): ReplicaGroup {
  let described: ListedReplica = { ...self, isLeader: true, seenMsAgo: 0, isAlive: true, behind: [] };
  return {
    isLeader: true,
    state: () => ({ leads: true, leaders: 1, followers: 0, changesBehind: 0 }),
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

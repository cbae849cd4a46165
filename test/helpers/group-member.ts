import type { GroupEvent } from '../../src/domain/ports/replicas.ts';
import { openMeasures } from '../../src/domain/telemetry/write-measures.ts';
import { openPostgresStorage, type PostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { joinGroup, type Membership } from '../../src/storage/postgres/replicas/membership.ts';

/** The storage of a daemon in a group, in the calling thread. */
export interface GroupMember {
  storage: PostgresStorage;
  membership: Membership;
  /** ID of its data directory. */
  machine: string;
  events: GroupEvent[];
  /** The codes with which it was asked to stop. */
  deposed: string[];
  leave(): Promise<void>;
}

/** Joins the group of a database. The first member leads. */
export async function joinAsMember(url: string, id: string): Promise<GroupMember> {
  const events: GroupEvent[] = [];
  const deposed: string[] = [];
  let membership: Membership | null = null;
  const machine = `machine of ${id}`;
  const self = { id, machine, epoch: () => membership?.epoch() ?? null };
  const storage = await openPostgresStorage({ url, pool: 2 }, openMeasures(), self);
  membership = await joinGroup({
    url,
    self: { id, machine, runLeaseMs: 60_000 },
    report: (event) => events.push(event),
    onDeposed: (error) => deposed.push(error.code),
  });
  const leave = async () => {
    await membership.leave();
    await storage.close();
  };
  return { storage, membership, machine, events, deposed, leave };
}

import { readdir, readFile } from 'node:fs/promises';
import type { RunId } from '../../core/ids.ts';
import { endGroup, readProcessStat } from '../../processes/process-group.ts';
import { markProcesses, type ProcessMark, selectStartedBetween } from './process-mark.ts';

/** A process that forks during one scan is found by the next one. A process that forks forever is not chased forever. */
const MAX_SCANS = 5;

/**
 * Ends every process group that is left of a run: groups in another session (`setsid`), and all groups after a crash of the
 * daemon. They are recognized by the variable that every process of a run inherits, so that an unrelated process that got
 * the same number meanwhile is never ended. Requires environments in `/proc`; on other systems, and for a process that has
 * changed its environment, it finds nothing.
 * @param started the leader of the run and the mark before its start, so that older processes are skipped
 */
export async function endLeftovers(run: RunId, graceMs: number, started?: Started): Promise<void> {
  for (let scans = 0; scans < MAX_SCANS; scans++) {
    const mayBeOfRun = await selectPossible(started);
    const groups = await findGroups(`\0DOCKBELL_RUN_ID=${run}\0`, mayBeOfRun);
    if (groups.size === 0) return;
    await Promise.all([...groups].map((group) => endGroup(group, graceMs)));
  }
}

interface Started {
  leader: number;
  before: ProcessMark | null;
}

async function selectPossible(started: Started | undefined): Promise<(pid: number) => boolean> {
  if (started === undefined) return () => true;
  return selectStartedBetween(started.before, await markProcesses(), started.leader);
}

async function findGroups(marker: string, mayBeOfRun: (pid: number) => boolean): Promise<Set<number>> {
  const groups = new Set<number>();
  // A run may have started this daemon, which then has the marker, too.
  const own = await readProcessStat('self');
  const names = await readdir('/proc').catch(() => []);
  for (const pid of names.filter((name) => /^\d+$/.test(name) && mayBeOfRun(Number(name)))) {
    // Processes of other users cannot be read, and do not belong to the run.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (!`\0${environment}`.includes(marker)) continue;
    const stat = await readProcessStat(pid);
    // For the kernel, group 0 is the group of the caller, and group 1 means every process.
    if (stat !== null && stat.group > 1 && stat.group !== own?.group) groups.add(stat.group);
  }
  return groups;
}

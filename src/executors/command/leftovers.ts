import { readdir, readFile } from 'node:fs/promises';
import type { RunId } from '../../core/ids.ts';
import { endGroup, readProcessStat } from '../../processes/process-group.ts';
import { markProcesses, type ProcessMark, selectStartedBetween } from './process-mark.ts';

/** A process that forks during one look is found by the next one; what forks without end is not hunted without end. */
const MAX_LOOKS = 5;

/**
 * Ends every process group that is left of a run: those in a session of their own (`setsid`), and all of them after the end
 * of a daemon that could not end them. They are known by the variable that every process of a run inherits, so that a number
 * given to a stranger meanwhile is never hit. Works where the system shows environments under `/proc`; elsewhere, and for a
 * process that has changed its environment, it finds nothing.
 * @param started the leader of the run and the mark before its start, so that older processes are not looked at
 */
export async function endLeftovers(run: RunId, graceMs: number, started?: Started): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
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
  // A run may have started this very daemon, which then carries the marker, too.
  const own = await readProcessStat('self');
  const names = await readdir('/proc').catch(() => []);
  for (const pid of names.filter((name) => /^\d+$/.test(name) && mayBeOfRun(Number(name)))) {
    // Processes of others cannot be read, and are none of ours.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (!`\0${environment}`.includes(marker)) continue;
    const stat = await readProcessStat(pid);
    // Groups 0 and 1 mean "my own" and "everybody" to the kernel.
    if (stat !== null && stat.group > 1 && stat.group !== own?.group) groups.add(stat.group);
  }
  return groups;
}

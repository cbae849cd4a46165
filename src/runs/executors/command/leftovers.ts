import { readdir, readFile } from 'node:fs/promises';
import { endGroup, readProcessStat } from '../../../platform/processes/process-group.ts';
import { markProcesses, type ProcessMark, selectStartedBetween } from './process-mark.ts';

/** A process that forks during one scan is found by the next one. A process that forks forever is not chased forever. */
const MAX_SCANS = 5;

/** What all processes to end have in common: a variable of their environment, or an argument. */
export interface ProcessSign {
  in: 'environ' | 'cmdline';
  /** The complete variable with its value, or the complete argument. */
  text: string;
}

interface Started {
  leader: number;
  before: ProcessMark | null;
}

/**
 * Ends every process group that is left of an attempt: groups in another session (`setsid`), and all groups after a crash of
 * the daemon. They are recognized by a variable that every process of the attempt inherits, so that an unrelated process that
 * got the same number meanwhile is never ended. A process that has changed its environment is not found.
 *
 * @param payload file of the attempt: a later attempt, and another daemon on this machine, have other files
 * @param started the leader of the run and the mark before its start, so that older processes are skipped
 */
export function endLeftovers(payload: string, graceMs: number, started?: Started): Promise<void> {
  return endSignedGroups({ in: 'environ', text: `DOCKBELL_PAYLOAD=${payload}` }, graceMs, started);
}

/** Ends every process group with a process that has the sign. Requires `/proc`; on other systems it finds nothing. */
export async function endSignedGroups(sign: ProcessSign, graceMs: number, started?: Started): Promise<void> {
  for (let scans = 0; scans < MAX_SCANS; scans++) {
    const groups = await findGroups(sign, await selectPossible(started));
    if (groups.size === 0) return;
    await Promise.all([...groups].map((group) => endGroup(group, graceMs)));
  }
}

async function selectPossible(started: Started | undefined): Promise<(pid: number) => boolean> {
  if (started === undefined) return () => true;
  return selectStartedBetween(started.before, await markProcesses(), started.leader);
}

async function findGroups(sign: ProcessSign, isPossible: (pid: number) => boolean): Promise<Set<number>> {
  const groups = new Set<number>();
  // A run may have started this daemon, which then has the sign, too.
  const own = await readProcessStat('self');
  const names = await readdir('/proc').catch(() => []);
  for (const pid of names.filter((name) => /^\d+$/.test(name) && isPossible(Number(name)))) {
    // Processes of other users cannot be read, and do not belong to the run.
    const texts = await readFile(`/proc/${pid}/${sign.in}`, 'latin1').catch(() => '');
    if (!`\0${texts}`.includes(`\0${sign.text}\0`)) continue;
    const stat = await readProcessStat(pid);
    // For the kernel, group 0 is the group of the caller, and group 1 means every process.
    if (stat !== null && stat.group > 1 && stat.group !== own?.group) groups.add(stat.group);
  }
  return groups;
}

import { readdir, readFile } from 'node:fs/promises';
import type { RunId } from '../core/ids.ts';
import { endGroup } from './process-group.ts';
import { readProcessStat } from './process-stat.ts';

/**
 * Ends the process groups of a run that a daemon which is gone left behind. They are known by the variable that every
 * process of a run inherits, so that a number given to a stranger meanwhile is never hit. Works where the system shows
 * environments under `/proc`; elsewhere it finds nothing.
 */
export async function endLeftovers(run: RunId, graceMs: number): Promise<void> {
  const groups = await findGroups(`\0DOCKBELL_RUN_ID=${run}\0`);
  await Promise.all([...groups].map((group) => endGroup(group, graceMs)));
}

async function findGroups(marker: string): Promise<Set<number>> {
  const groups = new Set<number>();
  // A run may have started this very daemon, which then carries the marker, too.
  const own = await readProcessStat('self');
  const names = await readdir('/proc').catch(() => []);
  for (const pid of names.filter((name) => /^\d+$/.test(name))) {
    // Processes of others cannot be read, and are none of ours.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (!`\0${environment}`.includes(marker)) continue;
    const stat = await readProcessStat(pid);
    // Groups 0 and 1 mean "my own" and "everybody" to the kernel.
    if (stat !== null && stat.group > 1 && stat.group !== own?.group) groups.add(stat.group);
  }
  return groups;
}

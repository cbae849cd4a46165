import { readFileSync } from 'node:fs';

/** Memory of a process in MiB. `NaN` on systems without `/proc`. */
export function readMemoryMiB(pid: number, kind: 'VmRSS' | 'RssAnon'): number {
  if (process.platform !== 'linux') return Number.NaN;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
}

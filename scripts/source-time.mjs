import { spawnSync } from 'node:child_process';

/**
 * The time that stands for the build in files: SOURCE_DATE_EPOCH, otherwise the time of the commit in `folder`, otherwise the
 * start of 1980, which every archive format can store.
 */
export function readSourceTime(folder) {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && /^\d+$/.test(given)) return new Date(Number(given) * 1000);
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: folder, encoding: 'utf8' });
  return new Date(status === 0 && /^\d+\n$/.test(stdout) ? Number(stdout) * 1000 : '1980-01-01T00:00:00Z');
}

// Compares the measures of the repository with their limits. Exits with 1 if one is above its limit. `--details` names the
// files and functions above it; `--times` also measures the type check, `npm test` and `.ci/run`, which takes an hour.
import { measureShape, type Row } from './measure/rows.ts';
import { measureTimes } from './measure/times.ts';

const rows = [...measureShape(), ...(process.argv.includes('--times') ? measureTimes() : [])];
for (const row of rows) console.log(formatRow(row));
if (rows.some(isMissed)) process.exitCode = 1;

function isMissed({ value, limit }: Row): boolean {
  return limit !== undefined && value > limit;
}

function formatRow(row: Row): string {
  const { measure, value, limit, details = [] } = row;
  const target = limit === undefined ? '' : `at most ${limit.toLocaleString('en')}`;
  const line = `${measure.padEnd(40)} ${value.toLocaleString('en').padStart(9)}  ${target}`.trimEnd();
  if (!isMissed(row)) return line;
  const places = process.argv.includes('--details') ? details.map((one) => `    ${one}`) : [];
  return [`${line}: missed`, ...places].join('\n');
}

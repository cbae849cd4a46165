import { spawnSync } from 'node:child_process';
import type { Row } from './rows.ts';

const TSC = 'node_modules/typescript7/bin/tsc';
/** Limits of the tests, as multiples of the type check on the same machine, so that they hold on a slow machine too. */
const TEST = { command: ['npm', 'test'], typeChecks: 18, maxSeconds: Number.POSITIVE_INFINITY };
const ALL = { command: ['.ci/run'], typeChecks: 88, maxSeconds: 3_600 };

/** Seconds of the type check of `npm run check`, which starts without earlier results here, then of the tests. */
export function measureTimes(): Row[] {
  const types = time(checkTypes);
  const times = [TEST, ALL].map(({ command, typeChecks, maxSeconds }) => ({
    measure: `seconds of ${command.join(' ')}`,
    value: time(() => run(command)),
    limit: Math.floor(Math.min(typeChecks * types, maxSeconds)),
  }));
  return [{ measure: 'seconds of the type check', value: types }, ...times];
}

function checkTypes(): void {
  for (const project of ['tsconfig.json', 'src/dashboard']) {
    run([process.execPath, TSC, '-p', project, '--singleThreaded', '--noEmit']);
  }
}

function time(work: () => void): number {
  const start = performance.now();
  work();
  return Math.round((performance.now() - start) / 100) / 10;
}

function run([program = '', ...args]: string[]): void {
  const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
}

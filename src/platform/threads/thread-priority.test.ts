import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

const MODULE = new URL('./thread-priority.ts', import.meta.url).href;

/** Posts its priority, and that of a program that it starts. */
const WORKER = `
import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from ${JSON.stringify(MODULE)};
lowerThreadPriority();
const program = execFileSync(process.execPath, ['-p', 'os.getPriority()'], { encoding: 'utf8' });
parentPort.postMessage({ thread: getPriority(), program: Number(program) });
`;

describe.runIf(process.platform === 'linux')('lowerThreadPriority', () => {
  it('lowers the priority of the calling thread and its programs, and of no other thread', async () => {
    const before = getPriority();
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(WORKER)}`));
    const [lowered] = await once(worker, 'message');
    const expected = Math.min(before + 10, 19);
    expect(lowered).toEqual({ thread: expected, program: expected });
    expect(getPriority()).toBe(before);
  });
});

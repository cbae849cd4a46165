import { readdirSync, readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Seconds that the processors spent on a test file and on the programs that it started. */
    processorSeconds?: number;
  }
}

const startSeconds = readProcessorSeconds();

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from this pattern
afterAll(({}, file) => {
  file.meta.processorSeconds = readProcessorSeconds() - startSeconds;
});

/** Of this process and of the programs that it started. Only Linux counts the programs. */
function readProcessorSeconds(): number {
  if (process.platform === 'linux') return readTicks(process.pid) / 100;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Hundredths of a second of a process and its children, ended or running. */
function readTicks(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, can contain spaces. The 14th to 17th fields are times, the last two of children that have ended.
    const fields = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 16).map(Number);
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return sum(fields) + sum(children.map(readTicks));
  } catch {
    // The process has ended meanwhile. Its parent has its time.
    return 0;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

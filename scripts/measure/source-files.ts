import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The files of git, by path below the root. */
export function listTracked(...patterns: string[]): string[] {
  const args = ['ls-files', '-z', '--', ...patterns];
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter(Boolean);
}

/** The source files of Dockbell: without tests, and without types that are generated. */
export function listSources(): string[] {
  return listTracked('src/*.ts', 'src/*.tsx').filter((path) => !/\.test\.tsx?$|\.d\.ts$/.test(path));
}

/** The folders below `src/`. */
export function listRooms(): string[] {
  const rooms = listTracked('src/*/*').map((path) => path.split('/')[1]!);
  return [...new Set(rooms)];
}

/** The rules that each name one room and the rooms that it may import. */
export function listArrows(): string[] {
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
    forbidden: { name: string }[];
  };
  return forbidden.map(({ name }) => name).filter((name) => name.includes('-imports-only-'));
}

export function countLines(path: string): number {
  return readFileSync(path).reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 0);
}

/** Lines of a TypeScript file that are neither blank nor comment. */
export function countCodeLines(path: string): number {
  const code = readFileSync(path, 'utf8').replaceAll(/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*)$/gm, '');
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

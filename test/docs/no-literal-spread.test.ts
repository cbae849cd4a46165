import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The findings of Biome for a source file of the daemon. */
function lint(source: string): string {
  const biome = 'node_modules/@biomejs/biome/bin/biome';
  const args = [biome, 'lint', '--stdin-file-path=src/app/sample.ts'];
  const { stderr } = spawnSync(process.execPath, args, { cwd: ROOT, input: source, encoding: 'utf8' });
  return stderr;
}

describe('the lint rule against spreads of literals', () => {
  it.each(['export const one = { a: 1, ...{ b: 2, c: 3 } };', 'export const two = [1, ...[2, 3]];'])(
    'rejects %s',
    (source) => {
      expect(lint(source)).toContain('Write the entries of this literal directly');
    },
  );

  it.each([
    'export const one = { ...(process.pid > 1 ? { a: 1 } : {}) };',
    'const two = [1];\nexport const three = [...two, 2];',
  ])('accepts %s', (source) => {
    expect(lint(source)).not.toContain('Write the entries');
  });
});

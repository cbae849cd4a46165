import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locate } from '../helpers/documents.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

/** The findings of Biome for a source file, with this rule as its only plugin. */
function lint(source: string): string {
  const dir = createTempDir('lint');
  const plugins = [locate('scripts/no-literal-spread.grit').pathname];
  writeFileSync(join(dir, 'biome.json'), JSON.stringify({ root: true, plugins }));
  writeFileSync(join(dir, 'sample.ts'), source);
  const args = [locate('node_modules/@biomejs/biome/bin/biome').pathname, 'lint', 'sample.ts'];
  const { stderr } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' });
  expect(stderr).toContain('Checked 1 file');
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

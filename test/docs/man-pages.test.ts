import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ManPage, renderManPages } from '../../scripts/man-pages.ts';
import { loadProgram } from '../../scripts/program-tree.ts';
import { readDocument } from '../helpers/documents.ts';
import { hasProgram } from '../helpers/has-program.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

let pages: ManPage[];
let files: string[];

beforeAll(async () => {
  pages = await renderManPages({ version: '0.0.0', date: '2026-11-23' });
  const folder = join(createTempDir('man'), 'man1');
  mkdirSync(folder);
  files = pages.map(({ file }) => join(folder, file));
  for (const [index, { text }] of pages.entries()) writeFileSync(files[index]!, text);
});

/** The text of a page at 80 columns. */
function show(file: string): string {
  const page = pages.find((candidate) => candidate.file === file)!;
  const { stdout } = spawnSync('groff', ['-man', '-Tascii', '-P-c'], { input: page.text, encoding: 'utf8' });
  return stdout.replace(/.\u0008/g, '').replace(/\s+/g, ' ');
}

describe('the manual pages', () => {
  it('exist for each command, and only the package lists them', async () => {
    const names = (await loadProgram()).visibleSubcommands().map((command) => `dockbell-${command.name()}.1`);
    expect(pages.map(({ file }) => file)).toEqual(['dockbell.1', ...names]);
    expect(JSON.parse(readDocument('package.json'))).not.toHaveProperty('man');
  });

  it.runIf(hasProgram('mandoc'))('have no finding of mandoc', () => {
    const { stdout, status } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', ...files], { encoding: 'utf8' });
    expect([stdout, status]).toEqual(['', 0]);
  });

  describe.runIf(hasProgram('groff'))('rendered by groff', () => {
    it('cause no warning', () => {
      const { stderr, status } = spawnSync('groff', ['-man', '-ww', '-z', '-Tascii', ...files], { encoding: 'utf8' });
      expect([stderr, status]).toEqual(['', 0]);
    });

    it('show hyphens, quotes and backslashes of commands as they are typed', async () => {
      const { notes } = (await loadProgram()).findSubcommand('send');
      for (const [line] of notes!.examples) expect(show('dockbell-send.1')).toContain(line.replace('…', '...'));
    });

    it('contain each option of a group', () => {
      const page = show('dockbell-key.1');
      expect(page).toContain('dockbell key rotate [options]');
      expect(page).toContain('--new-key-file <file> the new key: 32 random bytes in base64.');
    });
  });
});

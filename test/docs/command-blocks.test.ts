import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listCommandBlocks, openDocumentShell, readReason } from '../helpers/documented-commands.ts';
import { ELSEWHERE, executed, PAGES } from '../helpers/documented-pages.ts';
import { listPages, locate } from '../helpers/documents.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

/** The only reasons why a block is not executed. Keep the list short. */
const REASONS = [
  'a command of the development of Dockbell',
  'changes the master key',
  'installs software',
  'needs a container runtime or a cluster',
  'needs a published release',
  'needs a server',
  'needs root',
];

describe('the command blocks of documents', () => {
  it('are executed by a test, or have a reason', () => {
    const handled = [...Object.keys(PAGES), ...Object.keys(ELSEWHERE)];
    const left = listPages().filter((document) => executed(document).length > 0 && !handled.includes(document));
    expect(left).toEqual([]);
  });

  it('have only these reasons', () => {
    const reasons = listPages()
      .flatMap(listCommandBlocks)
      .flatMap((block) => readReason(block) ?? []);
    expect([...new Set(reasons)].sort()).toEqual(REASONS);
  });

  it('that other tests execute are in tests that exist', () => {
    for (const path of Object.values(ELSEWHERE)) expect(existsSync(locate(path)), path).toBe(true);
  });

  it('cannot start programs that change the machine', async () => {
    const shell = openDocumentShell(createTempDir('reader'), {});
    const execute = (text: string) => shell.execute({ document: 'x.md', language: 'sh', title: '', text });
    expect(await execute('echo $((40 + 2)); git --version')).toMatch(/^42\ngit version /);
    for (const program of ['systemctl', 'apt-get', 'sudo', 'npm', 'rm', 'podman', 'kubectl'])
      await expect(execute(`${program} --version`)).rejects.toThrow(`${program}: command not found`);
  });
});

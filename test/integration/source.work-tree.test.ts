import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { SourceTree } from '../../src/domain/definitions/source-tree.ts';
import type { DefinitionSource } from '../../src/domain/ports/sources.ts';
import { createWorkTreeSource } from '../../src/reconcile/source/work-tree-source.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

/** Only events can report a change within this time. */
const NEVER_MS = 3_600_000;

const opened: DefinitionSource[] = [];
afterEach(() => Promise.all(opened.splice(0).map((source) => source.close())));

function openSource(dir: string, pollIntervalMs = NEVER_MS): DefinitionSource {
  const source = createWorkTreeSource({ dir, pollIntervalMs });
  opened.push(source);
  return source;
}

function createFactory() {
  const dir = createTempDir('work-tree');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  write('factory.yaml', 'name: x\n');
  write('webhooks/ci.yaml', 'secretName: CI\n');
  for (const name of ['a', 'b']) write(`automations/${name}/automation.md`, `prompt of ${name}\n`);
  return { dir, write, at: (path: string) => join(dir, path) };
}

async function read(source: DefinitionSource): Promise<{ revision: string; tree: SourceTree }> {
  const fetched = await source.fetch();
  if (!fetched.ok) throw new Error(fetched.message);
  const { revision } = fetched;
  const result = await source.readTree(revision);
  if (!result.ok) throw new Error(result.message);
  return { revision, tree: result.tree };
}

describe('the source of a work tree', () => {
  it('follows every change of a folder, and finds what a new look at the whole folder finds', async () => {
    const { dir, write, at } = createFactory();
    const source = openSource(dir);
    let reports = 0;
    await source.fetch();
    source.watch(() => {
      reports += 1;
    });
    const steps: [string, () => void][] = [
      ['a saved file', () => write('automations/a/automation.md', 'another prompt\n')],
      [
        'a file that is replaced as editors do it',
        () => {
          write('webhooks/.ci.yaml.swp', 'secretName: OTHER\n');
          renameSync(at('webhooks/.ci.yaml.swp'), at('webhooks/ci.yaml'));
        },
      ],
      ['a new folder', () => write('automations/c/automation.md', 'prompt of c\n')],
      ['a file in the new folder', () => write('automations/c/automation.md', 'prompt of c again\n')],
      ['a new folder in a new folder', () => write('webhooks/ci.samples/one.json', '{"body": 1}\n')],
      ['a deleted folder', () => rmSync(at('automations/b'), { recursive: true })],
      [
        'a folder that is deleted and created again',
        () => {
          rmSync(at('automations/c'), { recursive: true });
          write('automations/c/automation.md', 'prompt of the second c\n');
        },
      ],
      ['a file in that folder', () => write('automations/c/automation.md', 'prompt of the second c again\n')],
      ['a renamed folder', () => renameSync(at('automations/c'), at('automations/d'))],
      ['a file in the renamed folder', () => write('automations/d/automation.md', 'prompt of d\n')],
      ['a link', () => symlinkSync('/etc/passwd', at('automations/d/notes.md'))],
      [
        'a folder that becomes a link',
        () => {
          renameSync(at('automations/d'), at('moved'));
          symlinkSync(at('moved'), at('automations/d'));
        },
      ],
      ['an unusable name', () => write('automations/a/a\tb', 'x')],
      ['a saved file next to it', () => write('automations/a/automation.md', 'next to it\n')],
      ['its end', () => rmSync(at('automations/a/a\tb'))],
      ['a deleted root', () => rmSync(at('webhooks'), { recursive: true })],
      ['a root that is created again', () => write('webhooks/ci.yaml', 'secretName: CI2\n')],
    ];
    for (const [name, change] of steps) {
      const before = reports;
      change();
      const expected = await read(openSource(dir));
      await eventually(() => reports > before).catch(() => expect.fail(`no report of ${name}`));
      const isSeen = async () => (await read(source)).revision === expected.revision;
      await eventually(isSeen).catch(() => expect.fail(`another state after ${name}`));
      expect((await read(source)).tree, name).toEqual(expected.tree);
    }
  });

  it('reports nothing for other files, and a change that is undone as the earlier revision', async () => {
    const { dir, write } = createFactory();
    const source = openSource(dir);
    const first = await read(source);
    const reported: string[] = [];
    source.watch(() => void source.fetch().then((fetched) => fetched.ok && reported.push(fetched.revision)));
    write('README.md', 'read me');
    write('src/index.js', '1');
    write('automations/a/automation.md', 'changed\n');
    await eventually(() => reported.length === 1);
    write('automations/a/automation.md', 'prompt of a\n');
    await eventually(() => reported.length === 2);
    expect(reported[0]).not.toBe(first.revision);
    expect(reported[1]).toBe(first.revision);
    expect(first.revision).toMatch(/^files-[0-9a-f]{40}$/);
    expect(await source.readTree('files-0')).toMatchObject({ ok: false });
  });

  it('omits the bytes of known files, and finds changes without events', async () => {
    const { dir, write } = createFactory();
    const source = openSource(dir, 20);
    const { revision, tree } = await read(source);
    const known = { has: (path: string) => path.startsWith('automations/') };
    const again = await source.readTree(revision, known);
    expect(again.ok && again.tree.entries.map(({ path, content }) => [path, content])).toEqual([
      ['automations/a/automation.md', 'known'],
      ['automations/b/automation.md', 'known'],
      ['factory.yaml', 'read'],
      ['webhooks/ci.yaml', 'read'],
    ]);
    expect(tree.entries.every(({ content }) => content === 'read')).toBe(true);
    let reports = 0;
    source.watch(() => {
      reports += 1;
    });
    rmSync(dir, { recursive: true });
    await eventually(() => reports === 1);
    expect(await source.fetch()).toMatchObject({ ok: false, reason: 'RepositoryMissing' });
    write('factory.yaml', 'name: y\n');
    await eventually(() => reports === 2);
    expect((await read(source)).tree.entries).toHaveLength(1);
    chmodSync(dir, 0o700);
  });
});

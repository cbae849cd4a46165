import { describe, expect, it } from 'vitest';
import { createFileEntry, type SourceTree } from '../../domain/definitions/source-tree.ts';
import { mergeTrees } from './merge-trees.ts';

/** Each file contains its text. */
function tree(files: Record<string, string>): SourceTree {
  const entries = Object.entries(files).map(([path, text]) => createFileEntry(path, new TextEncoder().encode(text)));
  return { prefix: '', entries };
}

const textsOf = ({ entries }: SourceTree) =>
  Object.fromEntries(entries.map(({ path, bytes }) => [path, Buffer.from(bytes!).toString('utf8')]).sort());

describe('mergeTrees', () => {
  const base = tree({ 'a.yaml': '1', 'b.yaml': '1', 'c.yaml': '1' });

  it('takes what the head changed, and what production changed', () => {
    const merged = mergeTrees({
      base,
      head: tree({ 'a.yaml': '2', 'b.yaml': '1', 'd.yaml': 'new' }),
      production: tree({ 'a.yaml': '1', 'b.yaml': '3', 'c.yaml': '1', 'e.yaml': 'newer' }),
    });
    expect(merged.isTouched).toBe(true);
    expect(merged.conflicts).toEqual([]);
    expect(textsOf(merged.tree)).toEqual({ 'a.yaml': '2', 'b.yaml': '3', 'd.yaml': 'new', 'e.yaml': 'newer' });
  });

  it('is not touched by a head that is only behind', () => {
    const production = tree({ 'a.yaml': '9', 'z.yaml': '9' });
    const merged = mergeTrees({ base, head: base, production });
    expect(merged.isTouched).toBe(false);
    expect(textsOf(merged.tree)).toEqual({ 'a.yaml': '9', 'z.yaml': '9' });
  });

  it('takes the file of the head if both sides changed it, and reports that', () => {
    const head = tree({ 'a.yaml': '2', 'b.yaml': '2', 'c.yaml': '1' });
    const production = tree({ 'a.yaml': '3', 'b.yaml': '2', 'c.yaml': '1' });
    const merged = mergeTrees({ base, head, production });
    expect(merged.conflicts).toEqual(['a.yaml']);
    expect(textsOf(merged.tree)).toMatchObject({ 'a.yaml': '2', 'b.yaml': '2' });
  });

  it('uses the bytes of the head for files that production came without', () => {
    const [same] = tree({ 'n.yaml': 'x' }).entries;
    const production: SourceTree = { prefix: '', entries: [{ ...same!, content: 'known', bytes: null }] };
    const merged = mergeTrees({ base: tree({}), head: tree({ 'n.yaml': 'x' }), production });
    expect(textsOf(merged.tree)).toEqual({ 'n.yaml': 'x' });
  });

  it('is the head as it is if the base is not known', () => {
    const head = tree({ 'a.yaml': '1' });
    expect(mergeTrees({ base: null, head, production: head }).isTouched).toBe(false);
    expect(mergeTrees({ base: null, head, production: base })).toMatchObject({ isTouched: true, tree: head });
  });

  it('is touched by an entry of another kind, and by an unusable name', () => {
    const [entry] = tree({ 'a.yaml': '1' }).entries;
    const link: SourceTree = {
      prefix: '',
      entries: [{ ...entry!, kind: 'symlink', content: 'unread', bytes: null }],
    };
    const file = tree({ 'a.yaml': '1' });
    expect(mergeTrees({ base: file, head: link, production: file }).isTouched).toBe(true);
    const unsupported = { ...file, unusable: [{ file: 'x', message: 'The name is reserved.' }] };
    expect(mergeTrees({ base: file, head: unsupported, production: file }).isTouched).toBe(true);
  });
});

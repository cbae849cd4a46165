import { describe, expect, it } from 'vitest';
import type { Comparison, Source } from '../../triggers/trigger-event.ts';
import type { ValueCondition } from '../../triggers/trigger-pattern.ts';
import { compileValues } from './compile-values.ts';

function condition(given: Partial<ValueCondition>): ValueCondition {
  const base = { key: 'labels', subject: 'the labels', compare: 'exact' as Comparison, in: null, notIn: null };
  const from = given.from ?? [];
  return { ...base, exists: null, notInFrom: from, ...given, from };
}

const names: Source[] = [{ path: 'labels[*].name' }];
const labelled = (...labels: unknown[]) => ({ labels: labels.map((name) => ({ name })) });

describe('the operators', () => {
  const included = compileValues(condition({ from: names, in: ['bug', ' ready '] }));
  const excluded = compileValues(condition({ from: names, notIn: ['bug'] }));
  const existing = compileValues(condition({ from: names, exists: true }));

  it.each<[payload: unknown, isIncluded: boolean, isExcluded: boolean, exists: boolean]>([
    [labelled('docs', 'bug'), true, true, true],
    [labelled(' ready'), true, false, true],
    [labelled('docs'), false, false, true],
    [labelled(''), false, false, false],
    [labelled(7, null, {}, ['bug']), false, false, true],
    [{ labels: [] }, false, false, false],
    [{ labels: { name: 'bug' } }, false, false, false],
    [{ labels: [['bug']] }, false, false, false],
    [{}, false, false, false],
    [null, false, false, false],
    [7, false, false, false],
  ])('%j', (payload, isIncluded, isExcluded, exists) => {
    expect(included.matches(payload)).toBe(isIncluded);
    expect(included.isIncluded(payload)).toBe(isIncluded);
    expect(excluded.matches(payload)).toBe(!isExcluded);
    expect(excluded.isExcluded(payload)).toBe(isExcluded);
    expect(existing.matches(payload)).toBe(exists);
  });

  it('read different places', () => {
    const values = compileValues(
      condition({ from: [{ path: 'label.name' }], in: ['new'], notInFrom: names, notIn: ['wontfix'] }),
    );
    expect(values.matches({ label: { name: 'new' }, ...labelled('new') })).toBe(true);
    expect(values.matches({ label: { name: 'new' }, ...labelled('new', 'wontfix') })).toBe(false);
    expect(values.matches({ label: { name: 'old' }, ...labelled('new') })).toBe(false);
    const payload = { label: { name: 'new' }, ...labelled('a', 'b') };
    expect(values.read(payload)).toEqual({ in: ['new'], notIn: ['a', 'b'] });
    expect(values.paths).toEqual([
      ['label', 'name'],
      ['labels', 'name'],
    ]);
  });

  it('read a bounded number of values for explanations', () => {
    const payload = labelled(...Array.from({ length: 1000 }, (_, index) => `label ${index}`));
    expect(included.read(payload).in).toHaveLength(100);
  });
});

it.each<[compare: Comparison, listed: string, matching: unknown[], others: unknown[]]>([
  ['exact', 'Bug', ['Bug', ' Bug '], ['bug', 7]],
  ['fold', 'Bug', ['bug', 'BUG'], ['bugs']],
  ['login', '@Ann', ['ann', 'ANN'], ['@ann', 'an']],
  ['branch', 'refs/heads/main', ['main', 'refs/heads/main'], ['Main', 'refs/tags/main']],
  ['branch', 'release/*', ['release/1', 'refs/heads/release/1'], ['release/1/2', 'release']],
  ['glob', 'api/**', ['api/x'], ['web/x']],
  ['text', 'Deploy', ['please deploy now'], ['de ploy']],
  ['emoji', ':eyes:', ['eyes', 'eyes::skin-tone-3'], ['eye']],
  ['number', '12', [12, 12.0], ['12', 12.5, 1]],
])('%s: %j', (compare, listed, matching, others) => {
  const values = compileValues(condition({ compare, in: [listed], from: [{ path: 'value' }] }));
  for (const value of matching) expect(values.matches({ value }), String(value)).toBe(true);
  for (const value of others) expect(values.matches({ value }), String(value)).toBe(false);
});

describe('a source', () => {
  const read = (source: Source, payload: unknown) =>
    compileValues(condition({ from: [source], in: ['x'] })).read(payload).in;

  it('has another path if the first one has no value', () => {
    const source = { path: 'a.b', otherwise: 'c' };
    expect(read(source, { a: { b: 'one' }, c: 'two' })).toEqual(['one']);
    expect(read(source, { a: { b: ' ' }, c: 'two' })).toEqual(['two']);
    expect(read(source, { c: 'two' })).toEqual(['two']);
  });

  it('has a prefix from the payload, and no value without it', () => {
    const source = { path: 'team.slug', prefix: 'owner' };
    expect(read(source, { team: { slug: 'core' }, owner: 'acme' })).toEqual(['acme/core']);
    expect(read(source, { team: { slug: 'core' } })).toEqual([]);
  });

  it('counts only if two values are equal', () => {
    const source: Source = { path: 'branch', ifEqual: ['head', 'base'] };
    expect(read(source, { branch: 'main', head: 'A/b', base: 'a/B' })).toEqual(['main']);
    expect(read(source, { branch: 'main', head: 'a', base: 'b' })).toEqual([]);
    expect(read(source, { branch: 'main' })).toEqual([]);
  });

  it('omits the values of another path', () => {
    const source: Source = { path: 'new', without: 'old', read: 'semicolons' };
    expect(read(source, { new: 'a; b;c', old: 'b' })).toEqual(['a', 'c']);
    expect(read(source, { new: 'a' })).toEqual(['a']);
  });

  it('has the values of some elements', () => {
    const where: Source = {
      path: 'toString',
      without: 'fromString',
      read: 'words',
      each: { of: 'items', where: ['field', 'labels'] },
    };
    const items: unknown[] = [
      { field: 'labels', toString: 'a b', fromString: 'b' },
      { field: 'status', toString: 'c' },
      { field: 'labels' },
      null,
      'labels',
    ];
    expect(read(where, { items })).toEqual(['a']);
    const unless: Source = { path: 'name', each: { of: 'data.labels', unless: ['id', 'from.ids[*]'] } };
    const labels = [
      { id: '1', name: 'old' },
      { id: '2', name: 'new' },
    ];
    expect(read(unless, { data: { labels }, from: { ids: ['1'] } })).toEqual(['new']);
    expect(read(unless, { data: { labels } })).toEqual(['old', 'new']);
    expect(compileValues(condition({ from: [unless], in: ['x'] })).paths).toEqual([
      ['data', 'labels', 'name'],
      ['data', 'labels', 'id'],
      ['from', 'ids'],
    ]);
  });

  it('never reads what is inherited', () => {
    for (const path of ['toString', 'constructor.name', '__proto__.x', 'a.length']) {
      expect(read({ path }, { a: [1] })).toEqual([]);
      expect(read({ path }, { a: 'text' })).toEqual([]);
    }
    const payload: unknown = JSON.parse('{"__proto__":{"x":"own"}}');
    expect(read({ path: '__proto__.x' }, payload)).toEqual(['own']);
  });

  it.each<[source: Omit<Source, 'path'>, text: string, values: string[]]>([
    [{ read: 'branch_name' }, 'refs/heads/a/b', ['a/b']],
    [{ read: 'branch_name' }, 'refs/tags/v1', []],
    [{ read: 'last_segment' }, '.github/workflows/ci.yaml', ['ci.yaml']],
    [{ read: 'words' }, ' a  b\tc ', ['a', 'b', 'c']],
    [{ read: 'semicolons' }, 'a; b c;;', ['a', 'b c']],
    [{ read: 'mention_markup' }, 'hi @<12AB> and @<x y>', ['12AB']],
    [{ read: 'mention_markup' }, '<a data-vss-mention="version:2.0,id-1">@Ann</a>', ['id-1']],
    [{ read: 'without_tags' }, '<at>Bot</at> deploy<br/>now', ['deploy now']],
    [{ read: 'without_tags' }, 'a < b', ['a < b']],
    [{ read: 'identity' }, 'Ann Lee <ann@acme.example>', ['ann@acme.example', 'Ann Lee', 'Ann Lee <ann@acme.example>']],
    [{ read: 'identity' }, 'Ann <Lee> <ACME\\ann> ', ['ACME\\ann', 'Ann <Lee>', 'Ann <Lee> <ACME\\ann>']],
    [{ read: 'identity' }, 'Ann Lee', ['Ann Lee']],
    [{ read: 'identity' }, '<ann>', ['<ann>']],
    [{ read: 'gitlab_bot' }, 'project_42_bot_4ffca233d8298ea1', ['project_42_bot_4ffca233d8298ea1']],
    [{ read: 'gitlab_bot' }, 'group_7_bot1', ['group_7_bot1']],
    [{ read: 'gitlab_bot' }, 'service_account_group_7_a1', ['service_account_group_7_a1']],
    [{ read: 'gitlab_bot' }, 'project_bot', []],
    [{ read: 'gitlab_bot' }, 'project_42_botany', []],
    [{ read: 'without_tags' }, '<at>open', ['<at>open']],
  ])('is read as %j: %j', (source, text, values) => {
    expect(read({ path: 'text', ...source }, { text })).toEqual(values);
  });
});

import { describe, expect, it } from 'vitest';
import { isSafeRef, renderTemplate, resolveWorkspace, TEMPLATE_PATTERN } from './workspace.ts';

const SHA = 'a'.repeat(40);
const PAYLOAD = { pull_request: { head: { sha: SHA, ref: 'topic' }, number: 7, draft: false }, list: [1], 'a-b': 'x' };
const bytes = Buffer.from(JSON.stringify(PAYLOAD));

describe('a template', () => {
  it.each([
    ['{{ pull_request.head.sha }}', SHA],
    ['refs/pull/{{pull_request.number}}/head', 'refs/pull/7/head'],
    ['main', 'main'],
    ['{{ a-b }}/{{ a-b }}', 'x/x'],
  ])('%s is %s', (template, text) => expect(renderTemplate(template, PAYLOAD)).toEqual({ ok: true, text }));

  it.each([
    '{{ missing }}',
    '{{ pull_request.head }}',
    '{{ pull_request.draft }}',
    '{{ list.0 }}',
    '{{ __proto__.x }}',
    '{{ constructor.name }}',
  ])('%s has no text', (template) => {
    const path = template.slice(3, -3);
    const problem = `the payload has no text and no whole number at ${path}`;
    expect(renderTemplate(template, PAYLOAD)).toEqual({ ok: false, problem });
  });

  it.each(['{{ a.b', '{{}}', '{a}', 'a b', '{{ a b }}', '', '{{ env.TOKEN | x }}'])('%j is not a template', (text) => {
    expect(new RegExp(TEMPLATE_PATTERN).test(text)).toBe(false);
  });
});

describe('a ref', () => {
  it.each([SHA, 'b'.repeat(64), 'main', 'feature/x-1', 'refs/pull/7/head', 'v1.2.3', 'ünicode', 'a'.repeat(255)])(
    'can be %s',
    (ref) => expect(isSafeRef(ref)).toBe(true),
  );

  it.each([
    '',
    '@',
    '-',
    '--upload-pack=touch pwned',
    '-x',
    '+main',
    'a..b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{1}',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a.',
    'a\nb',
    'a\0b',
    'a\u202eb',
    'a'.repeat(256),
  ])('cannot be %j', (ref) => expect(isSafeRef(ref)).toBe(false));
});

describe('a workspace', () => {
  it('is the live commit of the factory by default, and the default branch of another repository', () => {
    const own = { ok: true, target: { repository: null, ref: SHA } };
    expect(resolveWorkspace({}, bytes, SHA)).toEqual(own);
    const other = { ok: true, target: { repository: 'https://x.example/a.git', ref: 'HEAD' } };
    expect(resolveWorkspace({ repository: 'https://x.example/a.git' }, bytes, SHA)).toEqual(other);
  });

  it('is not that of a payload which names an option', () => {
    const hostile = Buffer.from(JSON.stringify({ ref: '--upload-pack=id' }));
    expect(resolveWorkspace({ ref: '{{ ref }}' }, hostile, SHA)).toEqual({
      ok: false,
      problem: 'workspace.ref: "--upload-pack=id" is not a branch, a tag or a commit ID',
    });
    const problem = 'workspace.ref: the payload has no text and no whole number at ref';
    expect(resolveWorkspace({ ref: '{{ ref }}' }, Buffer.from('[]'), SHA)).toEqual({ ok: false, problem });
  });
});

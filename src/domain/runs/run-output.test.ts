import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import {
  MAX_ARTIFACTS,
  MAX_LINKS,
  MAX_SUMMARY_CHARACTERS,
  parseRunOutput,
  readReportedOutput,
  textOfOutput,
} from './run-output.ts';

const parse = (value: Json) => parseRunOutput(JSON.stringify(value));
const link = { title: 'Pull request 42', url: 'https://github.com/acme/payments/pull/42' };
const artifact = { name: 'Report', path: 'reports/tests.html' };

describe('result.json', () => {
  it('has a summary, links and artifacts, each of which is optional', () => {
    const all = { summary: 'Fixed it.\nAll is green.', links: [link], artifacts: [artifact] };
    expect(parse(all)).toEqual({ ...all, problem: null });
    expect(parse({})).toEqual({ summary: null, links: [], artifacts: [], problem: null });
    expect(textOfOutput(parse(all))).toBe(
      'fixed it.\nall is green.\npull request 42\nhttps://github.com/acme/payments/pull/42\nreport',
    );
  });

  it.each<[what: string, value: Json, problem: string]>([
    ['a list', [], 'its value must be an object'],
    ['null', null, 'its value must be an object'],
    [
      'an unknown key',
      { summray: 'x' },
      'its value has the unknown key "summray"; it can have summary, links, artifacts',
    ],
    ['__proto__', JSON.parse('{"__proto__": {"summary": "x"}}'), 'its value has the unknown key "__proto__"'],
    ['a summary that is not a text', { summary: 5 }, 'summary must be a text'],
    ['an empty summary', { summary: ' ' }, 'summary must be a text that is not empty'],
    ['a long summary', { summary: 'x'.repeat(MAX_SUMMARY_CHARACTERS + 1) }, 'summary is longer than 4000 characters'],
    ['too many links', { links: Array(MAX_LINKS + 1).fill(link) }, 'links has 21 entries; the limit is 20'],
    ['too many artifacts', { artifacts: Array(MAX_ARTIFACTS + 1).fill(artifact) }, 'artifacts has 51 entries'],
    ['links that are not a list', { links: link }, 'links must be a list'],
    ['a link without a title', { links: [{ url: link.url }] }, 'links[0].title must be a text'],
    ['a script', { links: [{ title: 'x', url: 'javascript:alert(1)' }] }, 'links[0].url must be an http or https URL'],
    ['a data URL', { links: [link, { title: 'x', url: 'data:text/html,x' }] }, 'links[1].url must be an http or https'],
    ['a password', { links: [{ title: 'x', url: 'https://a:b@x.example' }] }, 'without a password'],
    ['a relative URL', { links: [{ title: 'x', url: '/etc' }] }, 'links[0].url must be an http or https URL'],
    ['a path outside', { artifacts: [{ name: 'x', path: '../secret' }] }, 'artifacts[0].path must be a path inside'],
    [
      'an absolute path',
      { artifacts: [{ name: 'x', path: '/etc/passwd' }] },
      'artifacts[0].path must be a path inside',
    ],
    ['a path with NUL', { artifacts: [{ name: 'x', path: 'a\0b' }] }, 'artifacts[0].path must be a path inside'],
  ])('is not used with %s', (_what, value, problem) => {
    const output = parse(value);
    expect(output).toEqual({ summary: null, links: [], artifacts: [], problem: expect.any(String) });
    expect(output.problem).toContain(`result.json is not used: `);
    expect(output.problem).toContain(problem);
  });

  it.each(['', '{', '{"summary": "x"} trailing', '\ufeff{}'])('is not used if it is not JSON: %j', (text) => {
    expect(parseRunOutput(text).problem).toMatch(/^result\.json is not used: it is not valid JSON/);
  });

  it('is what a worker read from it', () => {
    const output = parse({ summary: 'x', links: [link] });
    expect(readReportedOutput(JSON.parse(JSON.stringify(output)))).toEqual(output);
    const broken = parseRunOutput('{');
    expect(readReportedOutput(JSON.parse(JSON.stringify(broken)))).toEqual(broken);
    expect(readReportedOutput({ summary: 'x' }).summary).toBe('x');
    expect(readReportedOutput({ summary: 5, problem: null }).problem).toContain('summary must be a text');
  });

  it('keeps no half of a surrogate pair', () => {
    expect(parseRunOutput('{"summary": "a\\ud800b"}').summary).toBe('a\ufffdb');
  });
});

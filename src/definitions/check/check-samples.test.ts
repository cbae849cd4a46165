import { describe, expect, it } from 'vitest';
import { createTree, type EntryContent, validateFiles } from '../../../test/helpers/definition-tree.ts';
import { measureCpuMs } from '../../../test/helpers/measure-cpu.ts';
import { RULES } from '../../domain/rules.ts';
import { readSamples } from './check-samples.ts';

const FACTORY = {
  'webhooks/ci.yaml': 'secretName: CI\n',
  'webhooks/orders.yaml':
    'authMode: signature\nsignatureScheme: custom\nsecretName: ORDERS\nsignature: {header: X-Orders-Proof, content: "{body}"}\n',
  'automations/triage/automation.md':
    '---\ntriggers:\n  - {provider: webhook, event: received, filter: {webhooks: [ci]}}\n---\nDo.\n',
  'automations/ship/automation.md':
    '---\ntriggers:\n  - {provider: webhook, event: received, filter: {webhooks: [orders]}}\n---\nDo.\n',
};

const reported = new Set<string>();

/** Findings about samples of the factory, as `file:line:column rule path`. */
function check(files: { [path: string]: EntryContent }): string[] {
  const { diagnostics } = validateFiles({ ...FACTORY, ...files });
  return diagnostics
    .filter(({ file }) => file.includes('.samples/'))
    .map(({ file, line, column, rule, path }) => {
      reported.add(rule);
      return `${file}:${line}:${column} ${rule} ${path}`.trimEnd();
    });
}

describe('samples of a tree', () => {
  it('without mistakes have no findings', () => {
    const sample = { $schema: 'x', description: 'A', headers: { 'X-Id': '1' }, body: [null], starts: ['triage'] };
    expect(check({ 'webhooks/ci.samples/a b.json': JSON.stringify(sample) })).toEqual([]);
    expect(check({ 'webhooks/ci.samples/a.json': '{"body": null}', 'webhooks/ci.samples/README.md': 'x' })).toEqual([]);
  });

  it.each([
    ['{"body": 1,}', '1:12 sample/invalid-json'],
    ['{"body": {},\n "start": []}', '2:2 sample/unknown-key start'],
    ['{"starts": []}', '1:1 sample/missing-key body'],
    ['{"body": 1,\n "starts": "triage"}', '2:12 sample/wrong-type starts'],
    ['{"body": 1, "starts": [7]}', '1:24 sample/wrong-type starts[0]'],
    ['{"body": 1, "headers": {"X-Id": 7}}', '1:33 sample/wrong-type headers.X-Id'],
    ['{"body": 1, "headers": {"X-Id": "a\\nb"}}', '1:33 sample/invalid-value headers.X-Id'],
    ['{"body": 1, "headers": {"X Id": "a"}}', '1:25 sample/invalid-value headers["X Id"]'],
    ['{"body": 1, "headers": {"authorization": "Bearer x"}}', '1:25 sample/credential-header headers.authorization'],
    ['{"body": 1, "starts": ["triage", "triag"]}', '1:34 sample/unknown-automation starts[1]'],
    ['[]', '1:1 sample/wrong-type'],
    ['', '1:1 sample/invalid-json'],
  ])('%s is found at its place', (text, place) => {
    expect(check({ 'webhooks/ci.samples/a.json': text })).toEqual([`webhooks/ci.samples/a.json:${place}`]);
  });

  it('never hold the header in which their own webhook is signed', () => {
    const text = '{"body": 1, "headers": {"x-orders-proof": "abc"}}';
    expect(check({ 'webhooks/ci.samples/a.json': text })).toEqual([]);
    expect(check({ 'webhooks/orders.samples/a.json': text })).toEqual([
      'webhooks/orders.samples/a.json:1:25 sample/credential-header headers.x-orders-proof',
    ]);
  });

  it('of a webhook that does not exist are reported once, with what was meant', () => {
    const files = { 'webhooks/order.samples/a.json': '{"body": 1}', 'webhooks/order.samples/b.json': '{"body": 1}' };
    expect(check(files)).toEqual(['webhooks/order.samples/a.json:1:1 sample/unknown-webhook']);
    const { diagnostics } = validateFiles({ ...FACTORY, ...files });
    expect(diagnostics[0]?.hint).toBe('Did you mean webhooks/orders.samples/?');
  });

  it('are files that end in .json, directly in their folder', () => {
    expect(
      check({
        'webhooks/ci.samples/old/a.json': '{',
        'webhooks/ci.samples/b.yaml': 'body: 1',
        'webhooks/ci.samples/c.json5': '{}',
        'webhooks/ci.samples/.DS_Store': 'x',
        'webhooks/ci.samples/link.json': { kind: 'symlink' },
      }),
    ).toEqual([
      'webhooks/ci.samples/b.yaml:1:1 sample/ignored-file',
      'webhooks/ci.samples/c.json5:1:1 sample/ignored-file',
      'webhooks/ci.samples/link.json:1:1 tree/not-a-file',
      'webhooks/ci.samples/old/a.json:1:1 sample/nested-file',
    ]);
  });

  it('that are too large, not UTF-8 or too many are not read', () => {
    const many = Object.fromEntries(
      Array.from({ length: 203 }, (_, i) => [`webhooks/orders.samples/${1000 + i}.json`, '{"body": 1}']),
    );
    const files = {
      'webhooks/ci.samples/large.json': `{"body": "${'x'.repeat(262_144)}"}`,
      'webhooks/ci.samples/latin.json': new Uint8Array([0x7b, 0x0a, 0xe9]),
      ...many,
    };
    expect(check(files)).toEqual([
      'webhooks/ci.samples/large.json:1:1 sample/too-large',
      'webhooks/ci.samples/latin.json:2:1 sample/not-utf8',
      'webhooks/orders.samples/1200.json:1:1 sample/too-many',
    ]);
    const all = { ...FACTORY, ...files };
    expect(readSamples(createTree(all), validateFiles(all)).samples).toHaveLength(200);
  });

  it('are searched for credentials as every file is', () => {
    const body = { token: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' };
    expect(check({ 'webhooks/ci.samples/a.json': JSON.stringify({ body }) })).toEqual([
      'webhooks/ci.samples/a.json:1:19 file/exposed-secret',
    ]);
  });

  it('have the severity that the factory sets', () => {
    const lint = (severity: string) => ({
      'factory.yaml': `schemaVersion: v1alpha1\nname: f\nlint: {sample/invalid-json: "${severity}"}\n`,
      'webhooks/ci.samples/a.json': '{',
    });
    expect(check(lint('off'))).toEqual([]);
    expect(validateFiles({ ...FACTORY, ...lint('warning') }).definition).not.toBeNull();
    expect(validateFiles({ ...FACTORY, ...lint('error') }).definition).toBeNull();
  });

  it('never prevent an apply, for any number of mistakes', () => {
    const starts = Array.from({ length: 5000 }, (_, i) => `unknown-${i}`);
    const { diagnostics, definition } = validateFiles({
      ...FACTORY,
      'webhooks/ci.samples/a.json': JSON.stringify({ body: 1, starts }),
      'webhooks/ci.samples/b.json': JSON.stringify({ body: 1, starts: starts.map(() => 1) }),
    });
    expect(diagnostics.filter(({ file }) => file.includes('.samples/'))).toHaveLength(202);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(diagnostics.filter(({ rule }) => rule === 'file/too-many-findings')).toHaveLength(2);
    expect(definition?.automations).toHaveLength(2);
  });

  it('hold bodies as deep as any delivery can be', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(check({ 'webhooks/ci.samples/deep.json': `{"body": ${deep}}` })).toEqual([]);
  });

  it('take a bounded time for any number of positions and names', { tags: 'full', timeout: 30_000 }, () => {
    const automation = FACTORY['automations/triage/automation.md'];
    const automations = Array.from({ length: 1000 }, (_, i) => [
      `automations/some-name-${i}/automation.md`,
      automation,
    ]);
    const starts = Array.from({ length: 12_000 }, (_, i) => `same-name-${i}`);
    const sample = JSON.stringify({ body: 1, starts });
    const samples = Array.from({ length: 40 }, (_, i) => [`webhooks/ci.samples/${i}.json`, sample]);
    const measure = (files: { [path: string]: EntryContent }) => measureCpuMs(() => void validateFiles(files));
    const declared = { ...FACTORY, ...Object.fromEntries(automations) };
    const withoutMs = measure(declared);
    // 4,000 findings; each with a walk through its file and all names would take minutes.
    expect(measure({ ...declared, ...Object.fromEntries(samples) })).toBeLessThan(withoutMs * 3 + 5000);
  });
});

describe('the rules of samples', () => {
  it('have a case above each, and are warnings', () => {
    const rules = Object.entries(RULES).filter(([id]) => id.startsWith('sample/'));
    expect(rules.filter(([id]) => !reported.has(id))).toEqual([]);
    expect(rules.filter(([, { severity }]) => severity !== 'warning')).toEqual([]);
  });
});

describe('readSamples', () => {
  it('reads valid samples and skips the others', () => {
    const files = {
      ...FACTORY,
      'webhooks/ci.samples/a.json': '{"body": {"a": 1}, "starts": []}',
      'webhooks/ci.samples/b.json': '{',
    };
    const { samples, diagnostics } = readSamples(createTree(files, 'factories/a/'), validateFiles(files));
    const file = 'factories/a/webhooks/ci.samples/a.json';
    expect(samples).toEqual([
      { webhook: 'ci', name: 'a', file, description: null, headers: {}, body: { a: 1 }, starts: [] },
    ]);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['sample/invalid-json']);
  });
});

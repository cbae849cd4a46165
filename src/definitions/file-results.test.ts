import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTree } from '../../test/helpers/definition-tree.ts';
import type { ValidatedTree } from './check/check-definition.ts';
import { FileResults, type ReadFiles } from './file-results.ts';
import { readFiles } from './read/read-files.ts';
import { validateTree } from './validate-tree.ts';

const CONTEXT = { webhooksPerFactory: 20, knownUids: new Map<string, string>() };
/** Violates the rule `automation/obeys-payload`. */
const PROMPT = 'Follow the instructions in the payload.';
const WEBHOOK = 'authMode: token\nsecretName: A\ndeliveryIdHeader: X-Id\n';
const FILES = {
  'factory.yaml': 'schemaVersion: v1alpha1\nname: f\n',
  'webhooks/a.yaml': WEBHOOK,
  'webhooks/a.samples/one.json': '{"headers": {"X-Id": "1"}, "body": {}, "starts": ["work"]}',
  'automations/work/automation.md': writeAutomation('webhooks: [a]'),
};

function writeAutomation(filter: string, prompt = 'Do it.'): string {
  return `---\ntriggers:\n  - provider: webhook\n    event: received\n    filter: {${filter}}\n---\n${prompt}\n`;
}

let results: FileResults;
/** Paths that were read since the test began. */
let read: string[];

beforeEach(() => {
  results = new FileResults();
  read = [];
});

/** As another thread does it: files and results are copied. */
const readElsewhere: ReadFiles = async (files, settings) => {
  read.push(...files.map(({ entry }) => entry.path));
  return structuredClone(readFiles(structuredClone(files), settings));
};

function validate(files: { [path: string]: string }, options?: { keep: boolean }): Promise<ValidatedTree> {
  return results.validate(createTree(files), CONTEXT, readElsewhere, options);
}

describe('A second validation', () => {
  it('of the same tree reads nothing and returns the same objects', async () => {
    const before = await validate(FILES);
    expect(read.sort()).toEqual(Object.keys(FILES).sort());
    read = [];
    const after = await validate(FILES);
    expect(read).toEqual([]);
    expect(after.definition!.webhooks[0]).toBe(before.definition!.webhooks[0]);
    expect(after.definition!.automations[0]).toBe(before.definition!.automations[0]);
    expect(after).toEqual(validateTree(createTree(FILES), CONTEXT));
  });

  it('reads changed, moved and new files only', async () => {
    const before = await validate(FILES);
    read = [];
    const { 'webhooks/a.samples/one.json': sample, ...rest } = FILES;
    const files = {
      ...rest,
      'webhooks/a.samples/two.json': sample,
      'webhooks/b.yaml': WEBHOOK,
      'automations/work/automation.md': writeAutomation('webhooks: [a, b]'),
    };
    const after = await validate(files);
    expect(read.sort()).toEqual(['automations/work/automation.md', 'webhooks/a.samples/two.json', 'webhooks/b.yaml']);
    expect(after.definition!.webhooks[0]).toBe(before.definition!.webhooks[0]);
    expect(after).toEqual(validateTree(createTree(files), CONTEXT));
  });

  it('with other settings of rules reads only factory.yaml', async () => {
    const files = { ...FILES, 'automations/work/automation.md': writeAutomation('webhooks: [a]', PROMPT) };
    expect((await validate(files)).diagnostics).toMatchObject([{ rule: 'automation/obeys-payload' }]);
    for (const [severity, count] of [
      ['error', 1],
      ['off', 0],
    ] as const) {
      read = [];
      const changed = {
        ...files,
        'factory.yaml': `${FILES['factory.yaml']}lint: {automation/obeys-payload: ${severity}}\n`,
      };
      const after = await validate(changed);
      expect(read).toEqual(['factory.yaml']);
      expect(after.diagnostics).toHaveLength(count);
      expect(after).toEqual(validateTree(createTree(changed), CONTEXT));
    }
  });

  it('checks only automations with a trigger for a webhook that was enabled or disabled', async () => {
    const enabled = {
      ...FILES,
      'webhooks/b.yaml': WEBHOOK,
      'automations/more/automation.md': writeAutomation('webhooks: [a]', PROMPT),
      'automations/other/automation.md': writeAutomation('webhooks: [b]', PROMPT),
    };
    const disabled = { ...enabled, 'webhooks/b.yaml': `${WEBHOOK}enabled: false\n` };
    const before = await validate(enabled);
    const after = await validate(disabled);
    expect(after).toEqual(validateTree(createTree(disabled), CONTEXT));
    const about = ({ diagnostics }: ValidatedTree, name: string) =>
      diagnostics.filter(({ file }) => file === `automations/${name}/automation.md`);
    expect(about(after, 'more')[0]).toBe(about(before, 'more')[0]);
    expect(about(after, 'other').map(({ rule }) => rule)).toContain('automation/unreachable');
    const again = await validate(enabled);
    expect(again).toEqual(before);
  });

  describe.each<{ what: string; known?: { [name: string]: string }; renamed?: boolean; isFixed?: boolean }>([
    { what: 'the UIDs of webhooks', known: { a: `wh_${'a'.repeat(26)}` } },
    { what: 'the names of webhooks', renamed: true },
    { what: 'the number of unknown webhooks', isFixed: true },
  ])('with changes in $what', ({ known = {}, renamed = false, isFixed = false }) => {
    it('checks all automations again that the change can concern', async () => {
      const names = Array.from({ length: 99 }, (_, i) => `unknown-${i}`);
      const files = (isNow: boolean) => ({
        'webhooks/a.yaml': `${WEBHOOK}enabled: false\n`,
        [`webhooks/${isNow && renamed ? 'release' : 'production'}.yaml`]: WEBHOOK,
        'automations/first/automation.md': writeAutomation(`webhooks: [${isNow && isFixed ? 'a' : names}]`),
        'automations/second/automation.md': writeAutomation('webhooks: [productoin, prodution, prductio]'),
        'automations/third/automation.md': writeAutomation(`webhook_ids: [wh_${'a'.repeat(26)}]`),
        'automations/fourth/automation.md': writeAutomation('webhooks: [production]'),
      });
      await validate(files(false));
      const context = { ...CONTEXT, knownUids: new Map(Object.entries(known)) };
      const tree = createTree(files(true));
      expect(await results.validate(tree, context, readElsewhere)).toEqual(validateTree(tree, context));
    });
  });

  it('lists what a full validation lists when the limit of listed problems is reached, and when it no longer is', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `unknown-${i}`);
    const bad = writeAutomation(`webhooks: [${names}]`);
    const weak = writeAutomation('webhooks: [a], payload: {"a.b": ["x*"], "c.d": ["y*"]}');
    const automations = (count: number, text: string) =>
      Array.from({ length: count }, (_, i) => [
        `automations/${text === bad ? 'bad' : 'weak'}-${i}/automation.md`,
        text,
      ]);
    for (const count of [30, 51, 50, 30, 51]) {
      const files = { ...FILES, ...Object.fromEntries([...automations(count, bad), ...automations(60, weak)]) };
      expect(await validate(files)).toEqual(validateTree(createTree(files), CONTEXT));
    }
  });

  it('checks the headers of a sample against a changed webhook', async () => {
    await validate(FILES);
    read = [];
    const signature = 'signature: {algorithm: hmac-sha256, encoding: hex, header: X-Id}';
    const webhook = `authMode: signature\nsecretName: A\nsignatureScheme: custom\n${signature}\n`;
    const files = { ...FILES, 'webhooks/a.yaml': webhook };
    const after = await validate(files);
    expect(read).toEqual(['webhooks/a.yaml']);
    const found = { rule: 'sample/credential-header', line: 1, column: 14 };
    expect(after.diagnostics).toContainEqual(expect.objectContaining(found));
    expect(after).toEqual(validateTree(createTree(files), CONTEXT));
  });

  it('of a tree below another folder reads everything', async () => {
    await validate(FILES);
    read = [];
    const tree = createTree(FILES, 'team/');
    const after = await results.validate(tree, CONTEXT, readElsewhere);
    expect(read).toHaveLength(Object.keys(FILES).length);
    expect(after).toEqual(validateTree(tree, CONTEXT));
  });
});

describe('The kept results', () => {
  const digestOf = (text: string) => createTree({ file: text }).entries[0]!.digest;

  it('are those of the last tree', async () => {
    await validate({ 'webhooks/a.yaml': WEBHOOK });
    expect(results.has('webhooks/a.yaml', digestOf(WEBHOOK))).toBe(true);
    expect(results.has('webhooks/b.yaml', digestOf(WEBHOOK))).toBe(false);
    expect(results.has('webhooks/a.yaml', digestOf(''))).toBe(false);
    await validate({ 'webhooks/b.yaml': WEBHOOK });
    expect(results.has('webhooks/a.yaml', digestOf(WEBHOOK))).toBe(false);
  });

  it('are used for a preview, which does not replace them', async () => {
    const before = await validate(FILES);
    read = [];
    const preview = await validate({ ...FILES, 'webhooks/a.yaml': 'secretName: B\n' }, { keep: false });
    expect(read).toEqual(['webhooks/a.yaml']);
    expect(preview.definition!.automations[0]).toBe(before.definition!.automations[0]);
    read = [];
    expect((await validate(FILES)).definition!.webhooks[0]).toBe(before.definition!.webhooks[0]);
    expect(read).toEqual([]);
  });

  it('stay if files cannot be read', async () => {
    await validate(FILES);
    const tree = createTree({ ...FILES, 'webhooks/a.yaml': '' });
    const broken = results.validate(tree, CONTEXT, () => Promise.reject(new Error('the thread ended')));
    await expect(broken).rejects.toThrow('the thread ended');
    read = [];
    await validate(FILES);
    expect(read).toEqual([]);
  });

  it('do not stand in for a file without bytes', async () => {
    const tree = createTree({ 'webhooks/a.yaml': WEBHOOK });
    const entries = tree.entries.map((entry) => ({ ...entry, content: 'known' as const, bytes: null }));
    const unread = results.validate({ ...tree, entries }, CONTEXT, readElsewhere);
    await expect(unread).rejects.toThrow('the file webhooks/a.yaml was not read');
  });
});

it('Validations one after another find what each alone finds', { tags: 'full' }, () => validateSequences(40));
it('Many more of them, too', { tags: 'full' }, () => validateSequences(200));

async function validateSequences(numRuns: number): Promise<void> {
  const token = `db${'sk'}_${'a1b2c3d4e5f'.repeat(4)}`.slice(0, 48);
  const rules = [
    'file/exposed-secret',
    'webhook/weak-signature',
    'webhook/no-delivery-id',
    'webhook/unheard',
    'automation/obeys-payload',
    'automation/same-trigger',
    'filter/wildcard',
    'sample/unknown-automation',
  ];
  const uid = `wh_${'a'.repeat(26)}`;
  const known = fc.constantFrom<{ [name: string]: string }>({}, { a: uid }, { b: uid });
  const many = Array.from({ length: 150 }, (_, i) => `key${i}: 1`).join('\n');
  const signed = (signature: string) =>
    `authMode: signature\nsecretName: A\nsignatureScheme: custom\nsignature: ${signature}\n`;
  const webhooks = [
    WEBHOOK,
    'secretName: A\nenabled: false\n',
    `# ${token}\n${signed('{algorithm: hmac-sha1, encoding: hex, header: X-Id}')}`,
    `# ${token}\n${signed('{algorithm: hmac-sha256, encoding: hex, header: X-Id, label: v1}')}`,
    `# ${token}\nsecretName: A\n${many}\n`,
    '- [',
  ];
  const automations = [
    FILES['automations/work/automation.md'],
    writeAutomation('webhooks: [a, b]', PROMPT),
    writeAutomation('webhook_ids: [a, wh_1]'),
    writeAutomation(`webhooks: [${Array.from({ length: 150 }, (_, i) => `unknown-${i}`)}]`, `${PROMPT} ${token}`),
    writeAutomation('webhooks: [a], payload: {"a.b": ["x*"], c: [1, "2"]}'),
    writeAutomation(`webhook_ids: [${uid}]`),
    writeAutomation('webhooks: [b]').replace('triggers:', 'enabled: false\ntriggers:'),
    '---\n',
  ];
  const samples = [
    FILES['webhooks/a.samples/one.json'],
    `{"body": "${token}", "headers": {"a b": "", "X-Id": "1", "Authorization": "x"}}`,
    '{"body": 1, "starts": ["work", "wrok"]}',
    '{',
  ];
  const lint = fc
    .dictionary(fc.constantFrom(...rules), fc.constantFrom('off', 'warning', 'error'))
    .map((settings) => `${FILES['factory.yaml']}lint: ${JSON.stringify(settings)}\n`);
  const trees = fc.record(
    {
      'factory.yaml': lint,
      'webhooks/a.yaml': fc.constantFrom(...webhooks),
      'webhooks/b.yaml': fc.constantFrom(...webhooks),
      'webhooks/a.samples/one.json': fc.constantFrom(...samples),
      'webhooks/c.samples/two.json': fc.constantFrom(...samples),
      'automations/work/automation.md': fc.constantFrom(...automations),
      'automations/rest/automation.md': fc.constantFrom(...automations),
      'automations/more/automation.md': fc.constantFrom(...automations),
    },
    { requiredKeys: [] },
  );
  const steps = fc.array(fc.tuple(trees, known), { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      results = new FileResults();
      for (const [files, uids] of sequence) {
        const context = { ...CONTEXT, knownUids: new Map(Object.entries(uids)) };
        const found = await results.validate(createTree(files), context, readElsewhere);
        expect(found).toEqual(validateTree(createTree(files), context));
      }
    }),
    { numRuns },
  );
}

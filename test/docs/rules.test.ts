import { describe, expect, it } from 'vitest';
import { listRulePages, RULE_IDS, renderRules } from '../../scripts/rule-docs.ts';
import { checkSecretForWebhook } from '../../src/definitions/check/check-secret.ts';
import { describeRejectedTree } from '../../src/definitions/check/unread-tree.ts';
import { PATTERN_RULES } from '../../src/definitions/filter/parse-pattern.ts';
import { readRuleGuides, renderRuleMarkdown, type Shown } from '../../src/definitions/report/rule-guide.ts';
import { validateTree } from '../../src/definitions/validate-tree.ts';
import type { WebhookDefinition } from '../../src/domain/definitions/definition.ts';
import { RULES, type RuleId, ruleSection } from '../../src/domain/rules.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { declareWebhook } from '../helpers/declare-webhook.ts';
import { createTree, type EntryContent, validateFiles } from '../helpers/definition-tree.ts';
import { readDocument } from '../helpers/documents.ts';

interface Pair {
  wrong: () => string[];
  right: () => string[];
}

type Files = { [path: string]: EntryContent };

const CI: Files = { 'webhooks/ci.yaml': 'secretName: CI_SECRET\n' };
const PATH = 'automations/triage/automation.md';
const repeat = (count: number, item: (index: number) => string, separator = '') =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator);

function automation({ payload = '{}', keys = '', prompt = 'Find the first error.\n' } = {}): Files {
  const trigger = `  - provider: webhook\n    event: received\n    filter: {webhooks: [ci], payload: ${payload}}\n`;
  return { [PATH]: `---\ntriggers:\n${trigger}${keys}---\n${prompt}` };
}

const find = (files: Files) => validateFiles(files).diagnostics.map(({ rule }) => rule);
const files = (wrong: Files, right: Files): Pair => ({
  wrong: () => find({ ...CI, ...wrong }),
  right: () => find({ ...CI, ...right }),
});

function secret(declared: Partial<WebhookDefinition>, wrong: string, right: string): Pair {
  const webhook: WebhookDefinition = {
    name: 'ci',
    file: 'webhooks/ci.yaml',
    ...declareWebhook({ secretName: 'S' }),
    secretNameAt: { line: 1, column: 1 },
    verifyTokenSecretNameAt: null,
    ...declared,
  };
  const check = (value: string) => checkSecretForWebhook(webhook, new SecretValue(value)).map(({ rule }) => rule);
  return { wrong: () => check(wrong), right: () => check(right) };
}

/** The findings in a definition without webhooks next to other folders. */
function findNextTo(otherFolders: string[]): string[] {
  const tree = { ...createTree({ 'factory.yaml': 'schemaVersion: v1alpha1\nname: a\n' }), otherFolders };
  return validateTree(tree, { webhooksPerFactory: 20, knownUids: new Map() }).diagnostics.map(({ rule }) => rule);
}

const rejectedTree = (reason: 'TreeOdd' | 'TreeTooLarge'): Pair => ({
  wrong: () => [describeRejectedTree(reason, '').rule],
  right: () => find(CI),
});

const LATIN_1 = Buffer.from('secretName: CI_SECRET\ndescription: "Pr\xfcfung"\n', 'latin1');
const STRONG = 'correct-horse-battery-staple';
const mcpServers = (value: string) => automation({ keys: `mcpServers: ${value}\n` });

const SAMPLE = 'webhooks/ci.samples/a.json';
const createSamples = (count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`webhooks/ci.samples/${i}.json`, '{"body": 1}']));

/** Examples that the pages only describe, because files cannot show them. */
const BUILT: { [rule in RuleId]?: Pair } = {
  'tree/not-a-file': files({ 'webhooks/ci.yaml': { kind: 'symlink' } }, {}),
  'tree/similar-folder': { wrong: () => findNextTo(['webhook']), right: () => findNextTo(['scorers', 'benchmarks']) },
  'tree/odd-name': rejectedTree('TreeOdd'),
  'tree/omitted-file': files({ 'skills/logs/SKILL.md': { kind: 'symlink' } }, { 'skills/logs/SKILL.md': 'x' }),
  'tree/too-large': rejectedTree('TreeTooLarge'),
  'file/too-large': files(automation({ prompt: 'x'.repeat(300 * 1024) }), automation()),
  'file/not-utf8': files({ 'webhooks/ci.yaml': LATIN_1 }, { 'webhooks/ci.yaml': LATIN_1.toString('latin1') }),
  'file/too-many-findings': {
    wrong: () => find({ 'webhooks/ci.yaml': `secretName: A\n${repeat(101, (i) => `k${i}: 1\n`)}` }).slice(-2, -1),
    right: () => find(CI),
  },
  'yaml/too-deep': files(mcpServers('['.repeat(70) + ']'.repeat(70)), mcpServers('[[]]')),
  'yaml/alias-limit': files(
    automation({ keys: `mcpServers: [&a x, [${'*a, '.repeat(101)}]]\n` }),
    automation({ keys: `mcpServers: [x, [${'x, '.repeat(101)}]]\n` }),
  ),
  'webhook/too-many': files(
    Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`webhooks/w${i}.yaml`, 'secretName: A\n'])),
    Object.fromEntries(Array.from({ length: 19 }, (_, i) => [`webhooks/w${i}.yaml`, 'secretName: A\n'])),
  ),
  'webhook/empty-secret': secret({}, '', STRONG),
  'webhook/unsafe-secret': secret({ authMode: 'url_token' }, 'correct horse/battery staple', STRONG),
  'webhook/unsendable-secret': secret({}, `${STRONG}\n`, STRONG),
  'webhook/unusable-secret': secret(
    { authMode: 'signature', signatureScheme: 'standard_webhooks' },
    'whsec_!!!',
    `whsec_${'QUJD'.repeat(8)}`,
  ),
  'webhook/weak-secret': secret({}, 'hunter2', STRONG),
  'sample/not-utf8': files({ [SAMPLE]: Buffer.from('{"body": "\xe4"}', 'latin1') }, { [SAMPLE]: '{"body": "ä"}' }),
  'sample/too-large': files({ [SAMPLE]: `{"body": "${'x'.repeat(300 * 1024)}"}` }, { [SAMPLE]: '{"body": "x"}' }),
  'sample/too-many': files(createSamples(201), createSamples(200)),
  'filter/too-many-leaves': files(
    automation({ payload: `{${repeat(65, (i) => `k${i}: [1]`, ', ')}}` }),
    automation({ payload: `{${repeat(64, (i) => `k${i}: [1]`, ', ')}}` }),
  ),
  'filter/too-many-values': files(
    automation({ payload: `{a: [${repeat(33, String, ', ')}]}` }),
    automation({ payload: `{a: [${repeat(32, String, ', ')}]}` }),
  ),
};

/** Rules that need more than a tree and its secrets, with the test that covers them. */
const TESTED_ELSEWHERE: { [rule in RuleId]?: string } = {
  'automation/unknown-uid': 'src/reconcile/plan/compute-plan.test.ts',
  'automation/missing-run-secret': 'src/reconcile/resolve-secrets.test.ts',
  'secret/missing': 'src/reconcile/resolve-secrets.test.ts',
  'filter/unseen-key': 'test/e2e/plan.test.ts',
  'file/too-slow': 'test/integration/app.definitions-thread.test.ts',
  // If a file has more than 100 findings, this one is not listed itself.
  'filter/more-problems': 'src/definitions/filter/parse-pattern.test.ts',
};

const guides = readRuleGuides();
const page = renderRules();

function check(rule: RuleId, side: 'wrong' | 'right'): string[] {
  const shown: Shown = guides[rule][side];
  if (typeof shown === 'string') return BUILT[rule]![side]();
  return find(rule === 'factory/not-found' ? shown : { ...CI, ...shown });
}

const TESTED = RULE_IDS.filter((rule) => !(rule in TESTED_ELSEWHERE));

describe('the explanations of the rules', () => {
  it('exist for each rule, and for no others', () => {
    expect(Object.keys(guides)).toEqual(RULE_IDS);
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual(RULE_IDS);
  });

  it('have different anchors', () => {
    expect(new Set(RULE_IDS.map(ruleSection)).size).toBe(RULE_IDS.length);
  });

  it('are available to the dashboard as data without Markdown', () => {
    for (const [rule, pieces] of Object.entries(listRulePages())) {
      const prose = pieces.filter(({ kind }) => kind !== 'code');
      expect(prose.length, rule).toBeGreaterThan(1);
      for (const { text } of prose) expect(text, rule).not.toMatch(/```|^[#|]|\]\(/);
    }
  });

  it('name every rule of a payload filter', () => {
    expect(RULE_IDS).toEqual(expect.arrayContaining(Object.keys(PATTERN_RULES)));
  });

  it.each(RULE_IDS)('%s explains the reason and the fix', (rule) => {
    const { why, wrong, right } = guides[rule];
    for (const text of [RULES[rule].description, why, wrong, right]) {
      if (typeof text === 'string') expect(text).toMatch(/^["`A-Z][\s\S]*[.]$/);
    }
    expect(wrong).not.toEqual(right);
  });

  it.each(TESTED)('%s: the wrong example has exactly this finding', (rule) => {
    expect([...new Set(check(rule, 'wrong'))]).toEqual([rule]);
  });

  it.each(TESTED)('%s: the right example has none', (rule) => {
    expect(check(rule, 'right')).toEqual([]);
  });

  it.each(Object.entries(TESTED_ELSEWHERE))('%s is tested in %s', (rule, path) => {
    expect(readDocument(path)).toContain(`'${rule}'`);
  });

  it('show how to change a rule in a factory.yaml that is valid, where it may be changed', () => {
    for (const rule of RULE_IDS) {
      const section = renderRuleMarkdown(rule, guides[rule]);
      const shown = [...section.matchAll(/\*\*Change the severity\*\*\n\n```yaml (\S+)\n([\s\S]*?)```/g)];
      expect(shown.length, rule).toBe(RULES[rule].isLint ? 1 : 0);
      for (const [, path, text] of shown) expect(validateFiles({ [path!]: text! }).diagnostics, rule).toEqual([]);
    }
  });
});

describe('the schema of factory.yaml', () => {
  it('has the lint rules of the table as keys of lint', () => {
    const schema = readDocument('schemas/factory.schema.json');
    const { properties } = JSON.parse(schema).properties.lint;
    expect(Object.keys(properties)).toEqual(RULE_IDS.filter((rule) => RULES[rule].isLint));
  });
});

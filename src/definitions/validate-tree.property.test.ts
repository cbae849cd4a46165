import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { anyText } from '../../test/helpers/any-text.ts';
import { validateFiles } from '../../test/helpers/definition-tree.ts';
import type { ValidatedTree } from './check/check-definition.ts';

const WEBHOOK = 'authMode: signature\nsignatureScheme: github\nsecretName: A\ndeliveryIdHeader: X-Id\nenabled: true\n';
const AUTOMATION = `---
description: &d Looks into it
agent: *d
triggers:
  - provider: webhook
    event: received
    filter:
      webhooks: [x]
      payload: { level: [error, fatal], data: { "a b": { not_in: [1, null] } } }
  - { provider: schedule, event: cron_fired, schedule: { cron: "* * * * *" } }
secrets: [TOKEN]
---

Look into it.
`;

/** Either a definition or errors, each with a place in a file of the tree; nothing printed. */
function expectResult(validate: () => ValidatedTree): void {
  const emitWarning = vi.spyOn(process, 'emitWarning');
  const written = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error'), vi.spyOn(console, 'log')];
  const { diagnostics, definition } = validate();
  expect(definition === null).toBe(diagnostics.some(({ severity }) => severity === 'error'));
  for (const { file, line, column, message, rule } of diagnostics) {
    expect(file).not.toBe('');
    expect(line).toBeGreaterThanOrEqual(1);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(message.length).toBeLessThan(1000);
    expect(rule).toMatch(/^[a-z-]+\/[a-z0-9-]+$/);
  }
  for (const spy of [emitWarning, ...written]) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
}

const bytes = fc.uint8Array({ maxLength: 300 });
const yamlish = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'a',
        'secretName',
        'triggers',
        'filter',
        '- ',
        '? ',
        ': ',
        ':',
        '\n',
        '\n  ',
        '\n    ',
        '&a ',
        '*a',
        '<<: ',
      ),
      fc.constantFrom(
        '[',
        ']',
        '{',
        '}',
        ', ',
        '"',
        "'",
        '|\n',
        '>\n',
        '!!str ',
        '!x ',
        '---\n',
        '...\n',
        '#',
        '%YAML 1.2\n',
        '\t',
        '\r\n',
      ),
      fc.constantFrom(
        '1',
        '.inf',
        'null',
        'true',
        '~',
        '__proto__',
        'provider: webhook',
        'webhook_ids: ',
        'payload: ',
        '\ufeff',
        '\0',
      ),
      anyText({ maxLength: 4 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

/** A few deletions, insertions and repetitions at random places of a text that is right. */
const mutations = (text: string) =>
  fc
    .array(fc.record({ at: fc.nat(text.length), cut: fc.nat(12), put: fc.oneof(fc.constant(''), yamlish) }), {
      maxLength: 4,
    })
    .map((edits) => edits.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), text));

describe('validateTree on anything', () => {
  it('accepts the texts that the mutations begin with', () => {
    const files = { 'webhooks/x.yaml': WEBHOOK, 'automations/a/automation.md': AUTOMATION };
    expect(validateFiles(files).diagnostics).toEqual([]);
  });

  it.each([
    ['random bytes', bytes],
    ['pieces of YAML', yamlish],
    ['a webhook with random edits', mutations(WEBHOOK)],
  ] as const)('reads %s as a webhook, or says what is wrong', { tags: 'full' }, (_, texts) => {
    fc.assert(
      fc.property(texts as fc.Arbitrary<string | Uint8Array>, (text) =>
        expectResult(() => validateFiles({ 'webhooks/x.yaml': text })),
      ),
      { numRuns: 250 },
    );
  });

  it.each([
    ['pieces of YAML', yamlish.map((text) => `---\n${text}\n---\nDo it.\n`)],
    ['an automation with random edits', mutations(AUTOMATION)],
    [
      'triggers of any JSON',
      fc.jsonValue().map((value) => `---\n{"triggers": ${JSON.stringify(value)}}\n---\nDo it.\n`),
    ],
    [
      'webhook triggers with any filter',
      fc
        .jsonValue()
        .map(
          (value) =>
            `---\ntriggers: [{provider: webhook, event: received, filter: ${JSON.stringify(value)}}]\n---\nDo it.\n`,
        ),
    ],
    [
      'any payload filter',
      fc
        .jsonValue()
        .map(
          (value) =>
            `---\ntriggers: [{provider: webhook, event: received, filter: {webhooks: [x], payload: ${JSON.stringify(value)}}}]\n---\nDo it.\n`,
        ),
    ],
  ] as const)('reads %s as an automation, or says what is wrong', { tags: 'full' }, (_, texts) => {
    fc.assert(
      fc.property(texts, (text) =>
        expectResult(() => validateFiles({ 'webhooks/x.yaml': WEBHOOK, 'automations/a/automation.md': text })),
      ),
      { numRuns: 150 },
    );
  });

  it('reads any JSON of a webhook as YAML and as JSON alike', () => {
    const keys = fc.constantFrom(
      'authMode',
      'secretName',
      'enabled',
      'description',
      'deliveryIdHeader',
      'signatureScheme',
    );
    const values = fc.oneof(fc.constantFrom('token', 'A', true, 'github'), fc.jsonValue({ maxDepth: 1 }));
    fc.assert(
      fc.property(fc.dictionary(keys, values), (declared) => {
        const asJson = validateFiles({ 'webhooks/x.yaml': JSON.stringify(declared) });
        const asBlock = validateFiles({
          'webhooks/x.yaml': Object.entries(declared)
            .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
            .join(''),
        });
        const rules = (tree: ValidatedTree) => tree.diagnostics.map(({ rule, path }) => `${rule} ${path}`).sort();
        if (Object.keys(declared).length > 0) expect(rules(asJson)).toEqual(rules(asBlock));
      }),
    );
  });
});

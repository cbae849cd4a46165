import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTree, validateFiles } from '../../test/helpers/definition-tree.ts';
import { validateTree } from './validate-tree.ts';

const CASES = 'test/vectors/cases';
const CONTEXT = { webhooksPerFactory: 20, knownUids: new Map() };

/** Inputs from bug reports of other products. */
describe('a reported case', () => {
  it('flat-automation: is valid, and both forms of a name are an error', () => {
    const tree = readTree(`${CASES}/flat-automation`);
    const { diagnostics, definition } = validateTree(tree, CONTEXT);
    expect(diagnostics).toEqual([]);
    expect(definition?.automations.map(({ name, file }) => [name, file])).toEqual([
      ['changelog', 'automations/changelog.md'],
      ['triage', 'automations/triage/automation.md'],
    ]);
    const flat = readFileSync(`${CASES}/flat-automation/automations/changelog.md`);
    const files = Object.fromEntries(tree.entries.map(({ path, bytes }) => [path, bytes!]));
    const both = validateFiles({ ...files, 'automations/changelog/automation.md': flat });
    expect(both.diagnostics.map(({ rule, file }) => [rule, file])).toEqual([
      ['automation/duplicate-form', 'automations/changelog.md'],
    ]);
    expect(both.definition).toBeNull();
  });
});

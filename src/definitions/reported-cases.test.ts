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

  it('conflict-markers: is one error with the lines of the conflict', () => {
    const { diagnostics } = validateFiles({ 'webhooks/ci.yaml': readFileSync(`${CASES}/conflict-markers/ci.yaml`) });
    expect(diagnostics).toMatchObject([{ rule: 'file/merge-conflict', severity: 'error', line: 1 }]);
    expect(diagnostics[0]!.message).toBe('The file contains an unresolved merge conflict, in lines 1 to 5.');
  });

  it('lossy-numbers: is a warning for each number whose text does not survive', () => {
    const { diagnostics, definition } = validateFiles({
      'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
      'automations/build/automation.md': readFileSync(`${CASES}/lossy-numbers/automation.md`),
    });
    const found = diagnostics.map(({ rule, severity, path, message }) => `${severity} ${rule} ${path} ${message}`);
    const filter = 'triggers[0].filter.payload';
    expect(found).toEqual([
      `warning yaml/changed-number ${filter}.commit[0] 72225e2 is read as the number 7222500.`,
      `warning yaml/changed-number ${filter}.commit[1] 58899e0 is read as the number 58899.`,
      `warning yaml/changed-number ${filter}.version[0] 1.10 is read as the number 1.1.`,
      `warning yaml/changed-number ${filter}.postcode[0] 01234 is read as the number 1234.`,
      `warning yaml/changed-number ${filter}.id[0] 8202522731445525542 is read as the number 8202522731445526000.`,
    ]);
    expect(diagnostics[0]!.hint).toBe('If a text is meant, put quotes around it: "72225e2".');
    expect(diagnostics[4]!.hint).toMatch(/"8202522731445525542"\. As a number, it equals its neighbors/);
    expect(definition).not.toBeNull();
  });

  it('lfs-pointer: is one error that names Git LFS and what to do', () => {
    const pointer = readFileSync(`${CASES}/lfs-pointer/ci.yaml`);
    const { diagnostics } = validateFiles({ 'webhooks/ci.yaml': pointer });
    expect(diagnostics).toMatchObject([{ rule: 'file/lfs-pointer', severity: 'error', line: 1 }]);
    expect(`${diagnostics[0]!.message} ${diagnostics[0]!.hint}`).toMatch(/Git LFS.*git lfs untrack/);
  });
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { validateTree } from '../../src/definitions/validate-tree.ts';
import { readTree } from '../helpers/definition-tree.ts';

const FIXTURES = new URL('../fixtures/', import.meta.url);
const CONTEXT = { webhooksPerFactory: 20, knownUids: new Map<string, string>() };

function listFolders(name: string): string[] {
  return readdirSync(new URL(name, FIXTURES), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

const validate = (folder: string) => validateTree(readTree(fileURLToPath(new URL(folder, FIXTURES))), CONTEXT);

describe('fixtures of definitions', () => {
  it.each(listFolders('valid'))('valid/%s has no findings', (name) => {
    const { diagnostics, definition } = validate(`valid/${name}`);
    expect(diagnostics).toEqual([]);
    expect(definition).not.toBeNull();
  });

  // UPDATE_FIXTURES=1 writes what is found now; read the difference before committing it.
  it.each(listFolders('invalid'))('invalid/%s has exactly the expected findings', (name) => {
    const expected = new URL(`invalid/${name}.json`, FIXTURES);
    const { diagnostics, definition } = validate(`invalid/${name}`);
    if (process.env.UPDATE_FIXTURES) writeFileSync(expected, `${JSON.stringify(diagnostics, null, 2)}\n`);
    expect(definition).toBeNull();
    expect(diagnostics).toEqual(JSON.parse(readFileSync(expected, 'utf8')));
  });
});

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { listFences, locate, readDocument } from '../helpers/documents.ts';

const PAGE = readDocument('docs/architecture.md');

interface Rule {
  name: string;
  from: { path?: string };
  to: { pathNot?: string };
}

/** Folder → its allowed imports, as `npm run arrows` checks them. */
function readArrows(): Map<string, string> {
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { forbidden: Rule[] };
  const own = forbidden.filter(({ name }) => name.includes('-imports-only-'));
  return new Map(
    own.map(({ from, to }) => {
      const [folder = '', ...may] = /\((.*)\)/.exec(to.pathNot ?? '')![1]!.split('|');
      expect(from.path).toBe(`^src/${folder}/`);
      return [folder, may.join(', ') || 'nothing'];
    }),
  );
}

describe('docs/architecture.md', () => {
  it('lists the imports that are checked', () => {
    const rows = [...PAGE.matchAll(/^\| `([\w-]+)\/` \| .* \| ([^|]*) \|$/gm)];
    expect(new Map(rows.map(([, folder, may]) => [folder!, may!.trim()]))).toEqual(readArrows());
  });

  it('has a row for each folder', () => {
    const folders = readdirSync(locate('src/'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of folders) expect(PAGE, name).toMatch(new RegExp(`^\\| \`${name}/\``, 'm'));
  });

  it('draws only steps that exist as functions', () => {
    const drawings = listFences('docs/architecture.md')
      .filter(({ language }) => language === '')
      .map(({ text }) => text)
      .join('');
    const steps = [...drawings.matchAll(/\b[a-z]+[A-Z]\w*\b/g)].map((match) => match[0]);
    const sources = readdirSync(locate('src/'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readDocument(`src/${name}`))
      .join('\n');
    expect(steps.length).toBeGreaterThan(8);
    for (const step of new Set(steps)) expect(sources, step).toMatch(new RegExp(`(?:function |^ {2})${step}\\(`, 'm'));
  });
});

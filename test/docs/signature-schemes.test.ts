import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readGuides, renderSchemePages, renderSchemeTable } from '../../scripts/scheme-docs.ts';
import { SCHEMES } from '../../src/definitions/signature/schemes/schemes.ts';
import { MAX_KEY_SIGNATURES } from '../../src/definitions/signature/verify/presented-signatures.ts';
import { AUTH_REASONS } from '../../src/domain/words/delivery-reasons.ts';
import { validateFiles } from '../helpers/definition-tree.ts';
import { expectGenerated, readDocument, renderTable } from '../helpers/documents.ts';

const PAGE = 'docs/reference/signature-schemes.md';
const pages = new Map(renderSchemePages());

/** The packages that `test/providers/signature.provider-sdks.*.test.ts` import. */
function listTestedLibraries(): string[] {
  const folder = new URL('../providers/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.startsWith('signature.provider-sdks.'));
  const sources = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
  const imports = [...sources.matchAll(/^(?:import|\}) .*'((?:@[\w-]+\/)?[\w-]+)[^']*';$/gm)].map(([, name]) => name!);
  return [...new Set(imports)].filter((name) => name !== 'vitest' && name !== 'node').sort();
}

describe('the pages of the signature schemes', () => {
  it('exist for each scheme, and the table lists all', () => {
    const linked = [...renderSchemeTable().matchAll(/^\| \[`(\w+)`\]\(\.\.\/(schemes\/\1\.md)\)/gm)];
    expect(linked.map(([, name]) => name)).toEqual(SCHEMES.map(({ name }) => name));
    expect([...pages.keys()]).toEqual(linked.map(([, , path]) => `docs/${path}`));
  });

  it('explain the setup of each scheme and its common problems', () => {
    const guides = readGuides();
    expect(Object.keys(guides)).toEqual(SCHEMES.map(({ name }) => name));
    for (const [name, guide] of Object.entries(guides)) {
      expect(
        Object.keys(guide).filter((key) => key !== 'retries'),
        name,
      ).toEqual(['where', 'paste', 'pitfalls']);
      expect(guide.pitfalls.length, name).toBeGreaterThan(0);
      for (const text of [guide.where, guide.paste, guide.retries ?? 'None.', ...guide.pitfalls])
        expect(text, name).toMatch(/^["`A-Z][\s\S]*[.]$/);
    }
  });

  it.each(SCHEMES)('promise for $name what its row documents', ({ name, success, eventId, retries }) => {
    const page = pages.get(`docs/schemes/${name}.md`)!;
    expect(page.includes('is answered with `200`')).toBe(success !== undefined);
    if (success !== undefined) expect(page).toContain(`Source: <${success.source}>`);
    if (eventId !== undefined) expect(page).toContain(`\`body ${eventId.path.join('.')}\``);
    for (const source of retries.sources) expect(page).toContain(`<${source}>`);
    expect(page).not.toMatch(/answers `202`.*\n.*is answered with `200`|same body, so|hash is sufficient/);
  });

  it('say which retries the time window accepts', () => {
    expect(pages.get('docs/schemes/linear.md')).toContain(
      'A retry repeats the timestamp of the first attempt. The last retry is sent 421 minutes after the first attempt, so the time window is 7.5 hours.',
    );
    expect(pages.get('docs/schemes/stripe.md')).toContain('\n\nA retry has a new timestamp.\n\n');
    expect(pages.get('docs/schemes/buildkite.md')).toContain(
      'It is not known whether a retry has a new timestamp. A retry with a timestamp older than 5 minutes is rejected as `stale_timestamp`.',
    );
    expect(pages.get('docs/schemes/github.md')).not.toContain('timestamp');
  });

  it('have examples that are valid definitions', () => {
    for (const [path, page] of [...pages, [PAGE, readDocument(PAGE)] as const]) {
      const examples = [...page.matchAll(/```yaml (webhooks\/\S+)\n([\s\S]*?)```/g)];
      expect(examples.length, path).toBeGreaterThan(0);
      for (const [, file, text] of examples) expect(validateFiles({ [file!]: text! }).diagnostics, path).toEqual([]);
    }
  });

  it('list the provider libraries that tests use', () => {
    const page = readDocument(PAGE);
    const [, section] = /## Checked against the providers' libraries\n([\s\S]*?)\n## /.exec(page)!;
    const rows = [...section!.matchAll(/^\| `(\w+)` \| (`.*`) \| (?:signs, )?verifies \|$/gm)];
    const schemes = new Set(SCHEMES.map(({ name }) => name));
    expect(rows.filter(([, scheme]) => !schemes.has(scheme!))).toEqual([]);
    const named = rows.flatMap(([, , packages]) => packages!.split(', ').map((one) => one.replaceAll('`', '')));
    expect(named.sort()).toEqual(listTestedLibraries());
  });

  it('list the reasons of rejections, and the number of signatures that are tried', () => {
    const rows = Object.entries(AUTH_REASONS).map(([reason, { text }]) => [`\`${reason}\``, text]);
    expectGenerated(PAGE, 'reasons', renderTable(['reason', 'meaning'], rows));
    expect(readDocument(PAGE)).toContain(`at most ${MAX_KEY_SIGNATURES} signatures for a public key`);
  });

  it('list every rejected secret', () => {
    const guides = readGuides();
    for (const { name, rejectedSecrets } of SCHEMES) {
      if (rejectedSecrets.length > 0) expect(guides[name]!.pitfalls.join(' '), name).toMatch(/(is|are) rejected/);
    }
  });
});

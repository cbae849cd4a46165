import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RULES, type RuleId, ruleSection } from '../../src/domain/rules.ts';
import { listPages, locate, readDocument } from '../helpers/documents.ts';

const SITE = fileURLToPath(locate('dist/docs/'));
const readBuilt = (file: string) => gunzipSync(readFileSync(join(SITE, `${file}.gz`))).toString();
const listBuilt = (extension: string) =>
  readdirSync(SITE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(`${extension}.gz`))
    .map((name) => name.slice(0, -`${extension}.gz`.length))
    .sort();

interface Operation {
  summary: string;
}

/** The built site, as `npm run build` leaves it. */
describe('the Markdown of the documentation site', () => {
  it('exists for each page, and for nothing else', () => {
    expect(listBuilt('.md')).toEqual(listBuilt('.html').filter((page) => page !== '404'));
    const pages = listPages().filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');
    for (const path of pages) expect(listBuilt('.md')).toContain(path.slice('docs/'.length, -'.md'.length));
  });

  it('links to titles that exist', () => {
    const anchors = new Map(listBuilt('.md').map((page) => [page, listAnchors(readBuilt(`${page}.md`))]));
    const broken = [...anchors.keys()].flatMap((page) =>
      [...readBuilt(`${page}.md`).matchAll(/\]\(\/docs\/([^)\s#]+)\.md(?:#([^)\s]+))?\)/g)]
        .filter(([, target, anchor]) => !anchors.has(target!) || (anchor && !anchors.get(target!)!.includes(anchor)))
        .map(([link]) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('is listed in llms.txt with a description of each page', () => {
    const entries = [...readBuilt('llms.txt').matchAll(/^- \[[^\]]+\]\(\/docs\/([^)]+)\): (.*)$/gm)];
    const lines = readBuilt('llms.txt').match(/^- /gm);
    expect(entries).toHaveLength(lines!.length);
    for (const [, file, about] of entries) {
      expect(existsSync(join(SITE, `${file}.gz`)), file).toBe(true);
      expect(about, file).not.toBe('');
    }
    const listed = entries.map(([, file]) => file!);
    expect(listed).toEqual(expect.arrayContaining(['guides/plan.md', 'operations/upgrading.md', 'changelog.md']));
  });

  it('leads from each page to its Markdown', () => {
    expect(readBuilt('guides/plan.html')).toContain('type="text/markdown" href="/docs/guides/plan.md"');
    expect(readBuilt('index.html')).toContain('type="text/markdown" href="/docs/index.md"');
  });
});

describe('the pages of single rules, which earlier versions had', () => {
  const rules = Object.keys(RULES) as RuleId[];
  const moved = rules.map((rule) => [rule, `/docs/${ruleSection(rule)}`] as const);

  it.each(moved)('%s lead to the section of the rule', (rule, url) => {
    const page = readBuilt(`rules/${rule}.html`);
    expect(page).toContain(`<meta http-equiv="refresh" content="0; url=${url}">`);
    expect(page).toContain(`<a href="${url}">`);
    expect(page).not.toContain('<script');
    expect(readBuilt('reference/diagnostics.html')).toContain(`id="${url.split('#')[1]}"`);
    expect(readBuilt(`rules/${rule}.md`)).toContain(`](${url.replace('#', '.md#')})`);
  });
});

describe('the API reference of the documentation site', () => {
  const document = JSON.parse(readDocument('schemas/openapi.json')) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, object> };
  };
  const text = listBuilt('.md')
    .filter((page) => page.startsWith('reference/api/'))
    .map((page) => readBuilt(`${page}.md`))
    .join('\n');

  it('describes each operation and each object once', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { summary }]) => `## ${summary}\n\n\`${method.toUpperCase()} ${path}\`\n`),
    );
    expect(operations.length).toBeGreaterThan(90);
    for (const title of operations) expect(text.split(title), title).toHaveLength(2);
    for (const name of Object.keys(document.components.schemas))
      expect(text.split(`\n## ${name}\n\n`).length, name).toBeGreaterThan(1);
  });

  it('shows parameters, nested fields, limits, examples and errors', () => {
    expect(text).toContain('| `Idempotency-Key` (optional) | header | string |');
    expect(text).toMatch(/^\| `event\.header` \(optional\) \| string \| Limits: at most 1000 characters\. \|$/m);
    expect(text).toContain('"name": "internal-ci"');
    expect(text).toMatch(/^\| `412` \| .+ \|$/m);
  });
});

/** Anchors as GitHub derives them from titles. */
function listAnchors(markdown: string): string[] {
  const titles = markdown.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '').matchAll(/^#+ (.+)$/gm);
  return [...titles].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

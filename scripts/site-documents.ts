import { readFileSync } from 'node:fs';
import { RULES, type RuleId, ruleSection } from '../src/domain/rules.ts';
import { renderCommands } from './cli-reference.ts';
import { renderOptions } from './config-reference.ts';
import type { GeneratedFiles } from './generators.ts';
import { renderRules } from './rule-docs.ts';
import { renderSchemePages, renderSchemeTable } from './scheme-docs.ts';

/**
 * Documents that are written by hand except for one part, which the site has in place of the text between `<!-- site: name -->`
 * and `<!-- end -->`.
 */
const PARTS: { readonly [document: string]: () => string | Promise<string> } = {
  'docs/reference/cli.md': renderCommands,
  'docs/reference/configuration.md': renderOptions,
  'docs/reference/diagnostics.md': renderRules,
  'docs/reference/signature-schemes.md': renderSchemeTable,
};

const PLACE = /<!-- site: \w+ -->\n[\s\S]*?<!-- end -->\n/;

/** Where the documents are until the site is built, in the layout of the repository. */
const FOLDER = '.cache/site-documents/';

/** The documents of the site that are made from the code, and the list of its moved pages. */
export async function makeSiteDocuments(): Promise<GeneratedFiles> {
  const entries = Object.entries(PARTS).map(async ([path, render]) => [path, await fillPlace(path, render)] as const);
  const documents = [...renderSchemePages(), ...(await Promise.all(entries))];
  return new Map([
    ...documents.map(([path, text]) => [FOLDER + path, text] as const),
    [`${FOLDER}moved-pages.json`, `${JSON.stringify(listMovedPages())}\n`],
  ]);
}

async function fillPlace(path: string, render: () => string | Promise<string>): Promise<string> {
  const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  if (!PLACE.test(text)) throw new Error(`${path} has no place for the part that the site has`);
  const part = await render();
  return text.replace(PLACE, () => `${part.trimEnd()}\n`);
}

/** Old paths of pages → paths with anchors to which they redirect, on the site. Each rule had a page before version 0.2. */
function listMovedPages(): { [page: string]: string } {
  return Object.fromEntries(Object.keys(RULES).map((rule) => [`rules/${rule}`, ruleSection(rule as RuleId)]));
}

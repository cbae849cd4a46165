// The Markdown of a page, for programs that read documentation. It is published next to the HTML of the page.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { pageOf, STAGE } from '../site-pages.mjs';
import { resolveLink } from './links.mjs';

/** A fenced block, or inline code, or the target of a link. Only the target is changed. */
const CODE_OR_TARGET = /^( *)```[\s\S]*?^\1```$|`[^`\n]+`|(?<=\]\()[^)\s]+(?=\))/gm;

/**
 * The text of a source without comments. Its links lead to the Markdown of other pages, or to the repository.
 *
 * @param urls `{ base, repository }`, both with a slash at the end
 */
export function renderPlainMarkdown(source, { base, repository }) {
  const text = readFileSync(posix.join(STAGE, source), 'utf8').replaceAll(/^<!--[\s\S]*?-->\n/gm, '');
  return text.replaceAll(CODE_OR_TARGET, (part) => (part.includes('`') ? part : resolveTarget(part)));

  function resolveTarget(href) {
    const url = resolveLink(source, href, repository);
    return url.startsWith('/') ? `${base}${nameMarkdown(url.slice(1))}` : url;
  }
}

/** The file of the Markdown of a page, with the anchor of a link: `guides/plan.md#steps`. */
export function nameMarkdown(page) {
  const [path, anchor] = page.split('#');
  return `${path === '' ? 'index' : path}.md${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The file of the Markdown of a source. */
export function nameMarkdownOf(source) {
  return nameMarkdown(pageOf(source));
}

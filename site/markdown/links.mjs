import { posix, relative } from 'node:path';
import { pathOf, STAGE } from '../site-pages.mjs';

/**
 * Links and images in documents are relative paths in the repository, so that they work on GitHub. Links to other pages
 * become paths of the site. Links to files that are not pages lead to the repository.
 */
export function resolveLinks(md, repositoryUrl) {
  md.core.ruler.push('repository-links', (state) => {
    const source = sourceOf(state.env);
    for (const { children } of state.tokens) {
      for (const token of children ?? []) {
        if (token.type === 'link_open')
          token.attrSet('href', resolveLink(source, token.attrGet('href'), repositoryUrl));
      }
    }
  });
}

/** The path in the repository of the document that is rendered. */
export function sourceOf(env) {
  return relative(STAGE, env.realPath ?? env.path);
}

/** The address of a link: `/guides/plan#steps` for a page of the site, otherwise a URL. */
export function resolveLink(source, href, repositoryUrl) {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [path, anchor] = href.split('#');
  const target = posix.join(posix.dirname(source), path);
  return pathOf(target, anchor) ?? `${repositoryUrl}${target}${anchor === undefined ? '' : `#${anchor}`}`;
}

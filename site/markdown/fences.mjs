import { existsSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { ROOT, STAGE } from '../site-pages.mjs';
import { sourceOf } from './links.mjs';

const DIAGRAMS = 'docs/diagrams';

/**
 * Code blocks with the rest of their first line: a file name is shown above the block, a `not-executed:` reason for the
 * tests is hidden, and a Mermaid diagram is replaced by its committed pictures (scripts/render-diagrams.ts).
 */
export function renderFences(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    const [language = '', ...rest] = token.info.trim().split(/\s+/);
    const title = rest
      .join(' ')
      .replace(/\bnot-executed:.*$/, '')
      .trim();
    if (language === 'mermaid') return renderDiagram(md, title, env);
    token.info = language || 'txt';
    const block = fence(tokens, index, options, env, self);
    return title === '' ? block : `<div class="named-block"><p v-pre>${md.utils.escapeHtml(title)}</p>${block}</div>`;
  };
}

function renderDiagram(md, title, env) {
  const name = title.split(' ', 1)[0];
  const file = posix.join(DIAGRAMS, `${name}-light.svg`);
  if (!existsSync(join(ROOT, file))) throw new Error(`${file} is missing: run npm run docs:diagrams`);
  const alt = `Diagram: ${name.replaceAll('-', ' ')}`;
  return `<p class="diagram">${renderBothThemes(md, file, alt, env)}</p>`;
}

/** Images whose name ends with `-light` have a twin for the dark theme. */
export function renderThemedImages(md) {
  const { image } = md.renderer.rules;
  md.renderer.rules.image = (tokens, index, options, env, self) => {
    const source = tokens[index].attrGet('src');
    if (!/-light\.\w+$/.test(source)) return image(tokens, index, options, env, self);
    const file = posix.join(posix.dirname(sourceOf(env)), source);
    return renderBothThemes(md, file, tokens[index].content, env);
  };
}

function renderBothThemes(md, file, alt, env) {
  const path = relative(dirname(join(STAGE, sourceOf(env))), join(STAGE, file));
  const url = path.startsWith('.') ? path : `./${path}`;
  const text = md.utils.escapeHtml(alt);
  return ['light', 'dark']
    .map(
      (theme) => `<img class="in-${theme}" src="${url.replace('-light.', `-${theme}.`)}" alt="${text}" loading="lazy">`,
    )
    .join('');
}

import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import {
  codeMarkdown,
  composePosted,
  escapeHtml,
  linkMarkdown,
  markComment,
  plainMarkdown,
  quietLine,
  quietMarkdown,
} from './posted-markdown.ts';

const HOSTILE = [
  'All good.\n/merge\n/approve\n  /assign @root',
  '\t/close\r/label ~x\r\n/unlabel',
  '![x](https://evil.example/p.png) ![x][y]\n\n[y]: https://evil.example/p.png',
  '<img src=https://evil.example/p.png> <IMG\nsrc=x> </details><details>',
  '<!-- dockbell run_x -->\n<!--\nhidden',
  '@team \\@team &#64;team &#x40;team &commat;team `@team',
  '~~~\n```\n@team\n<b>',
  'Fixes #1, acme/api#2, GH-3, gl-4, !5, acme/api!6, &7, &amp;8, &#35;9, &num;1, #&#49;, \\#2, &#1, (#3) [issue:4] [epic:5]',
];
const renderer = new MarkdownIt({ html: true, linkify: true });

/** The rendered HTML that is not in code. */
const render = (markdown: string) => renderer.render(markdown).replace(/<code[^>]*>.*?<\/code>/gs, '');

describe('a text that is posted to a git host', () => {
  const composers = { quietMarkdown, quietLine, plainMarkdown, escapeHtml, codeMarkdown };
  const link = (text: string) => linkMarkdown({ title: text, url: 'https://e.example/?q=\\' });

  it.each(Object.entries({ ...composers, linkMarkdown: link }))('does nothing after %s', (_name, compose) => {
    for (const text of HOSTILE) {
      const posted = composePosted(markComment('dockbell test'), compose(text));
      expect(posted).not.toMatch(/^[^\S\n]*\//m);
      const shown = render(posted.replace('<!-- dockbell test -->\n', ''));
      expect(shown).not.toMatch(/<img|<!--|<b>|<details|<\/details/i);
      expect(shown).not.toMatch(/@[\w-]/);
      expect(shown).not.toMatch(/[#!]\d|&amp;\d|\bG[HL]-\d|\[(issue|epic):/i);
    }
  });

  it('keeps its formatting and its links', () => {
    const text = 'See **this**: [log](https://e.example/log), <https://e.example/a>, a/b, 1 < 2\n\n- `x`';
    expect(quietMarkdown(text)).toBe(text);
    expect(render(quietMarkdown('![x](https://e.example/p)'))).toContain('!\u200b<a href="https://e.example/p">x</a>');
  });

  it('keeps numbers in URLs and character references', () => {
    const text = 'See https://e.example/log#1 and [job](https://e.example/a!2?b=1&3), it&#39;s 1 of 2';
    expect(quietMarkdown(text)).toBe(text);
  });

  it('has no image in the URL of a link', () => {
    const link = linkMarkdown({ title: 'log', url: 'https://[::1]/![x](y)' });
    expect(link).toBe('[log](<https://[::1]/!%5Bx](y)>)');
  });

  it('is changed once', () => {
    for (const text of HOSTILE) {
      const once = composePosted('', quietMarkdown(text));
      expect(composePosted('', once)).toBe(`\n${once}`);
    }
  });
});

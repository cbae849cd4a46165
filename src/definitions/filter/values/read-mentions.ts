import MarkdownIt, { type Token } from 'markdown-it';

/** `@` must not follow these, so that `ops@example.com` is no mention. `@org/team-slug` is one name. */
const GITHUB_MENTION = /(?<![\p{L}\p{N}_\-./`])@([A-Za-z0-9][A-Za-z0-9-]*(?:\/[A-Za-z0-9][A-Za-z0-9-]*)?)/gu;

/** Names of GitLab may also have `_` and `.`, and groups have several parts. */
const GITLAB_MENTION = /(?<![\p{L}\p{N}_\-./`])@([A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*)/gu;

/** The rules that decide what is code, a comment, or text. Rules for links and emphasis would only cost time. */
const BLOCK_RULES = ['blockquote', 'code', 'fence', 'heading', 'hr', 'html_block', 'lheading', 'list'];

/** The longest text of GitHub. Parsing some hostile texts takes time that grows with the square of their length. */
const MAX_CHARS = 65_536;

const markdown = new MarkdownIt('zero', { html: true }).enable([...BLOCK_RULES, 'backticks']);

type Reader = (text: string) => string[];

/**
 * The names that a text of GitHub mentions, without `@`. Code and comments of HTML mention nobody. Only the first 65,536
 * characters count.
 *
 * @see The facts in section 2.3 of the provider triggers.
 */
export const readMentions = rememberLast((text) => findMentions(text, GITHUB_MENTION));

/** As `readMentions`, for a text of GitLab. */
export const readGitlabMentions = rememberLast((text) =>
  // A final dot ends the sentence.
  findMentions(text, GITLAB_MENTION).map((name) => name.replace(/\.+$/, '')),
);

/** All triggers of an event read the same text of a delivery. */
function rememberLast(read: Reader): Reader {
  let last: { text: string; names: string[] } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, names: read(text) };
    return last.names;
  };
}

function findMentions(text: string, mention: RegExp): string[] {
  const start = text.slice(0, MAX_CHARS);
  // Most texts mention nobody, and are not parsed.
  if (start.search(mention) === -1) return [];
  return markdown.parse(start, {}).flatMap((block) => {
    const written = readBlock(block);
    return written === '' ? [] : Array.from(written.matchAll(mention), ([, name]) => name!);
  });
}

function readBlock({ type, content, children }: Token): string {
  if (type === 'html_block') return withoutComments(content, true);
  return type === 'inline' ? readInlines(children ?? []) : '';
}

function readInlines(tokens: readonly Token[]): string {
  return withoutComments(tokens.map(readInline).join(''), false);
}

/** A mention does not follow a backtick, which ends a code span. */
function readInline({ type, content }: Token): string {
  if (type === 'text') return content;
  return type === 'code_inline' ? '``' : '\n';
}

/** @param hidesRest whether a comment that does not end hides the rest. Otherwise it is text. */
function withoutComments(text: string, hidesRest: boolean): string {
  let rest = text;
  let kept = '';
  for (let start = rest.indexOf('<!--'); start !== -1; start = rest.indexOf('<!--')) {
    const end = rest.indexOf('-->', start + '<!--'.length);
    if (end === -1) return kept + (hidesRest ? rest.slice(0, start) : rest);
    kept += `${rest.slice(0, start)} `;
    rest = rest.slice(end + '-->'.length);
  }
  return kept + rest;
}

import { escapeLines, escapeText } from './escape-text.ts';

// Everything that Dockbell posts to a git host under the account of the operator is composed with these functions. Texts
// from runs, files and senders must not act with the rights of that account: git hosts notify mentioned users and show a
// link at each mentioned issue. GitLab executes lines that begin with a slash. Images are loaded from a server that the
// sender chose.

/** Zero-width space: nobody sees it, and what it divides is no syntax. */
const GAP = '\u200b';

/** Beginnings of images, HTML tags and comments. Links in angle brackets stay. */
const IMAGE = /!(?=\[)/g;
const HTML = /<(?=[a-z/!?])(?!https?:\/\/)/gi;
/** Hosts look for mentions in the rendered text, so also in references to the character. */
const MENTION = /@(?=\S)(?!\u200b)/g;
/** The same for `@`, `#` and `!`. */
const CHARACTER_REFERENCE = /&(?=#0*(?:64|35|33)\b|#x0*(?:40|23|21)\b|(?:commat|num|excl)\b)/gi;
/** Beginnings of what hosts read as an issue, a pull request, a merge request or an epic, and of URLs, which stay. */
const ISSUE_OR_URL =
  /https?:\/\/[^\s<>()[\]]+|(?:&(?:(?:amp|#0*38|#x0*26);)?|#(?!(?<=&#)\d{1,7};)|!|\bG[HL]-)(?=\d|&#)|\[(?:issue|work_item|epic)(?=:)/gi;
const COMMAND_LINE = /^([^\S\n]*)(?=\/)/gm;

/** Markdown from outside, of several lines, that keeps its formatting and its links, and does nothing else. */
export function quietMarkdown(text: string): string {
  const shown = escapeLines(text.replace(/\r\n?/g, '\n'));
  const inert = shown.replace(IMAGE, `!${GAP}`).replace(HTML, `<${GAP}`);
  const unmentioned = inert.replace(MENTION, `@${GAP}`).replace(CHARACTER_REFERENCE, `&${GAP}`);
  // Last, because a divided character reference such as `&#64;` contains a number.
  return quietCommands(unmentioned.replace(ISSUE_OR_URL, (found) => (/^http/i.test(found) ? found : `${found}${GAP}`)));
}

/** One line of plain text, for example the description of a commit status. */
export function quietLine(text: string): string {
  return quietMarkdown(escapeText(text));
}

/** Text without formatting, on one line, for the title of a link. */
export function plainMarkdown(text: string): string {
  return quietLine(text.trim().replace(/\s+/g, ' ')).replace(/[\\`*_~[\]<>()|]/g, '\\$&');
}

/** A link whose title and URL come from outside. */
export function linkMarkdown({ title, url }: { title: string; url: string }): string {
  return `[${plainMarkdown(title)}](<${url.replace(/[<>\\]|(?<=!)\[/g, encodeURIComponent)}>)`;
}

/** A code span, which shows any text as it is: fenced by more backticks than the text has in a row, a table's bars escaped, on one line. */
export function codeMarkdown(text: string): string {
  const line = escapeText(text).replaceAll('|', '\\|');
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Text inside an HTML element. */
export function escapeHtml(text: string): string {
  return quietLine(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
}

/** The first line of a comment, which is not shown. Tools and Dockbell find the comment by it. */
export function markComment(name: string): string {
  return `<!-- ${name} -->`;
}

/** The whole body of a comment: its marker, and Markdown whose texts from outside went through the functions above. */
export function composePosted(marker: string, markdown: string): string {
  return `${marker}\n${quietCommands(markdown)}`;
}

/** No line of a comment has to begin with a slash. */
function quietCommands(text: string): string {
  return text.replace(COMMAND_LINE, `$1${GAP}`);
}

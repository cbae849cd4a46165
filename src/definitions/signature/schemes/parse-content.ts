import type { ContentPart } from '../scheme.ts';
import { toWireText } from '../verify/request-parts.ts';

/** The parts of a content template, or the mistake in it. */
type ParsedContent = { ok: true; parts: ContentPart[] } | { ok: false; message: string; hint: string };

const PLAIN: ReadonlyMap<string, ContentPart> = new Map<string, ContentPart>([
  ['body', { part: 'body' }],
  ['timestamp', { part: 'timestamp' }],
  ['id', { part: 'identity' }],
  ['method', { part: 'method' }],
  ['url', { part: 'url', decodes: [] }],
]);

/** No request contains a header name with any other character, so nothing would ever verify. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

const HINT =
  'Use {body}, {timestamp}, {id}, {method}, {url}, {header:NAME}, {json:a.b} and {form:NAME}; write {{ and }} for braces.';

/** Reads a template such as `v0:{timestamp}:{body}`: names in braces are parts of the request. */
export function parseContent(template: string): ParsedContent {
  const parts: ContentPart[] = [];
  for (const [token] of template.matchAll(/\{\{|\}\}|\{[^{}]*\}|[^{}]+|[{}]/g)) {
    const part = readToken(token);
    if (part === null)
      return { ok: false, message: `content contains ${JSON.stringify(token)}, which is not a part.`, hint: HINT };
    parts.push(part);
  }
  return parts.length > 0 ? { ok: true, parts } : { ok: false, message: 'content is empty.', hint: HINT };
}

function readToken(token: string): ContentPart | null {
  if (token === '{{') return { part: 'text', text: '{' };
  if (token === '}}') return { part: 'text', text: '}' };
  if (token === '{' || token === '}') return null;
  if (!token.startsWith('{')) return { part: 'text', text: toWireText(token) };
  const [kind, ...rest] = token.slice(1, -1).split(':');
  const name = rest.join(':');
  if (rest.length === 0) return PLAIN.get(kind!) ?? null;
  if (name === '') return null;
  if (kind === 'header') return HEADER_NAME.test(name) ? { part: 'header', name } : null;
  if (kind === 'form') return { part: 'form_field', name };
  return kind === 'json' ? { part: 'json', path: name.split('.') } : null;
}

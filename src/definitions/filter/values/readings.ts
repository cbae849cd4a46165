import type { Reading } from '../../triggers/trigger-event.ts';
import { readGitlabMentions, readMentions } from './read-mentions.ts';

const BRANCH = 'refs/heads/';

/** The values that each reading derives from a text. Takes time in proportion to the length of the text. */
export const READINGS: { readonly [name in Reading]: (text: string) => string[] } = {
  branch_name: (text) => (text.startsWith(BRANCH) ? [text.slice(BRANCH.length)] : []),
  mentions: readMentions,
  gitlab_mentions: readGitlabMentions,
  last_segment: (text) => [text.slice(text.lastIndexOf('/') + 1)],
  words: (text) => text.split(/\s+/),
  semicolons: (text) => text.split(';'),
  mention_markup: readMentionMarkup,
  without_tags: (text) => [withoutTags(text)],
  identity: readIdentity,
  gitlab_bot: (text) => (GITLAB_BOT.test(text) ? [text] : []),
};

/** Of access tokens of projects and groups, and of service accounts. */
const GITLAB_BOT = /^(?:(?:project|group)_\d+_bot|service_account)(?:_|\d|$)/;

/** Azure DevOps writes an identity as an object, or as a text with both of its names. */
function readIdentity(text: string): string[] {
  const start = text.lastIndexOf('<');
  if (start < 1 || !text.trimEnd().endsWith('>')) return [text];
  return [text.slice(start + 1, text.lastIndexOf('>')), text.slice(0, start), text];
}

/** `@<ID>` of Azure DevOps, or the HTML that its editor writes: `data-vss-mention="version:2.0,ID"`. */
const MENTION_MARKUP = /@<([^<>\s]{1,200})>|data-vss-mention="(?:version:[0-9.]{1,20},)?([^",<>]{1,200})"/g;

function readMentionMarkup(text: string): string[] {
  return Array.from(text.matchAll(MENTION_MARKUP), ([, id, idOfHtml]) => (id ?? idOfHtml)!);
}

const MENTION = '<at>';
const MENTION_END = '</at>';

/** A space replaces each tag, and each mention with its name. */
function withoutTags(text: string): string {
  let kept = '';
  let rest = text;
  for (let start = rest.indexOf('<'); start !== -1; start = rest.indexOf('<')) {
    const length = lengthOfMarkup(rest, start);
    if (length === 0) break;
    kept += `${rest.slice(0, start)} `;
    rest = rest.slice(start + length);
  }
  return kept + rest;
}

/** 0 if the tag does not end: the rest is text. */
function lengthOfMarkup(text: string, start: number): number {
  const isMention = text.startsWith(MENTION, start);
  const last = isMention ? MENTION_END : '>';
  const end = text.indexOf(last, start);
  return end === -1 ? 0 : end + last.length - start;
}

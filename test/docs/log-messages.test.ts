import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listDocuments, locate, readDocument } from '../helpers/documents.ts';

/** Inline code of several words that is neither a command nor a log message. */
const OTHER_PHRASES = ['does not match', 'format filter', 'body id'];
/** Words with which commands begin. */
const COMMANDS = ['curl', 'dockbell', 'git', 'node', 'npm', 'npx', 'openssl', 'sudo', 'systemctl'];

const SOURCES = readdirSync(locate('src/'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => readDocument(`src/${path.replaceAll('\\', '/')}`))
  .join('\n');

/** The messages of log lines in examples, and those that sentences quote. */
function listMessages(document: string): string[] {
  const text = readDocument(document);
  const inExamples = [...text.matchAll(/ (?:INFO|WARN|ERROR) {2}(.+?) {2}/g)].map((match) => match[1]!);
  const inSentences = [...text.matchAll(/`([a-z]+(?: (?:[a-z][a-z-]*|OpenID))+)`/g)].map((match) => match[1]!);
  return [
    // A message that contains a commit is not constant.
    ...inExamples.filter((message) => !message.includes('…')),
    ...inSentences.filter((phrase) => !OTHER_PHRASES.includes(phrase) && !COMMANDS.includes(phrase.split(' ')[0]!)),
  ];
}

const QUOTED = listDocuments()
  .filter((document) => !/^docs\/decisions\.md|^CHANGELOG/.test(document))
  .flatMap((document) => [...new Set(listMessages(document))].map((message) => ({ document, message })));

it('documents quote log messages', () => {
  expect(QUOTED.length).toBeGreaterThan(10);
});

it.each(QUOTED)('$document: "$message" is a message of the log', ({ message }) => {
  expect(["'", '"', '`'].some((quote) => SOURCES.includes(`${quote}${message}${quote}`))).toBe(true);
});

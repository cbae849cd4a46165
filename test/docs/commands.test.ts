import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/create-program.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { listDocuments, listFences, readProse } from '../helpers/documents.ts';

interface Shown {
  document: string;
  line: string;
}

/** The whole command line, its commands replaced by ones that do nothing. */
function createIdleProgram(): Command {
  const { signal } = new AbortController();
  const stream = new PassThrough().resume();
  const { program } = createProgram({
    ...{ stdin: stream, stdout: stream, stderr: stream, env: {}, cwd: '/', clock: systemClock, outputClosed: signal },
    newId: () => 'id',
    sleep: async () => {},
    catchInterrupts: () => signal,
  });
  const idle = (command: Command): void => {
    command.exitOverride();
    if (command.commands.length === 0) command.action(() => {});
    command.commands.forEach(idle);
  };
  idle(program);
  return program;
}

/** What commander says against these arguments; `null` where it would run them. */
function findFault(args: readonly string[]): string | null {
  try {
    createIdleProgram().parse(args, { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? null : `${error.code}: ${error.message}`;
  }
}

/** Words of a shell line up to the end of its first command, quotes taken off. Not a shell: enough for documents. */
function splitWords(line: string): string[] {
  const words: string[] = [];
  for (const [, single, double, substitution, end, plain] of line.matchAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|(\$\([^)]*\))|(&&|[|;>]|<(?!\w)|\s#.*)|([^\s'"|;&<>]+|<\w+>)/g,
  )) {
    if (end !== undefined) break;
    // In these documents every substitution stands for a commit.
    words.push((single ?? double ?? substitution ?? plain ?? '').replace(/^\$\(.*\)$/, 'c0ffee00'));
  }
  return words;
}

/** Arguments of every `dockbell` on a line; it may follow `npx`, `sudo -u dockbell`, a pipe or assignments. */
function listCalls(line: string): string[][] {
  return line
    .split(/(?:&&|\|)(?=(?:[^'"]|'[^']*'|"[^"]*")*$)/)
    .map((part) => /(?:^|(?<!-u)\s)dockbell (.*)$/.exec(part.trim())?.[1])
    .flatMap((rest) => (rest === undefined || rest === '' ? [] : [splitWords(rest)]));
}

function listShownLines(document: string): Shown[] {
  return listFences(document).flatMap(({ language, text }) => {
    const joined = text.replace(/\\\n\s*/g, ' ');
    if (language === 'sh') return joined.split('\n').map((line) => ({ document, line }));
    const typed = joined.split('\n').filter((line) => line.startsWith('$ '));
    return language === 'console' ? typed.map((line) => ({ document, line: line.slice(2) })) : [];
  });
}

const isCall = ({ line }: Shown) =>
  !line.trim().startsWith('#') &&
  !/\b(?:npm|useradd|install|systemctl|journalctl|tar)\b/.test(line.split('dockbell')[0]!);

const SHOWN = listDocuments()
  .flatMap(listShownLines)
  .filter(isCall)
  .flatMap(({ document, line }) => listCalls(line).map((args) => ({ document, args: args.join(' '), words: args })));

/** `dockbell …` in a sentence: a mention, so arguments may be missing. */
const MENTIONED = listDocuments().flatMap((document) =>
  [...readProse(document).matchAll(/`(?:npx )?dockbell ([^`\n]+)`/g)].map((match) => ({ document, line: match[1]! })),
);

/** What a sentence leaves out of a command that it only names. */
const INCOMPLETE = ['commander.missingArgument', 'commander.missingMandatoryOptionValue', 'commander.help:'];

describe('commands that documents show', () => {
  it('are many', () => {
    expect(SHOWN.length).toBeGreaterThan(60);
    expect(MENTIONED.length).toBeGreaterThan(40);
  });

  it.each(SHOWN)('$document: dockbell $args', ({ words }) => {
    expect(findFault(words)).toBeNull();
  });

  it('exist also where a sentence mentions them', () => {
    const faults = MENTIONED.flatMap(({ document, line }) => {
      const words = splitWords(line);
      const fault = findFault(words);
      const isIncomplete = INCOMPLETE.some((code) => fault?.startsWith(code));
      return fault === null || isIncomplete ? [] : [`${document}: dockbell ${line}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it.each([
    ['an unknown command', ['publish'], 'commander.unknownCommand'],
    ['an unknown option', ['status', '--wait-for', 'x'], 'commander.unknownOption'],
    ['a missing argument', ['run', 'log'], 'commander.missingArgument'],
    ['a value that is not allowed', ['token', 'create', 'a', '--role', 'root'], 'commander.invalidArgument'],
  ])('are refused for %s', (_what, words, code) => {
    expect(findFault(words)).toContain(code);
  });
});

import { PassThrough } from 'node:stream';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import type { CliCommand } from '../../src/cli/cli-command.ts';
import { createProgram } from '../../src/cli/create-program.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { listDocuments, listFences, readProse } from '../helpers/documents.ts';

interface Shown {
  document: string;
  line: string;
}

/** The complete command line. Its commands do nothing. */
async function createIdleProgram(): Promise<CliCommand> {
  const { signal } = new AbortController();
  const stream = new PassThrough().resume();
  const { program, declareAll } = createProgram({
    stdin: stream,
    stdout: stream,
    stderr: stream,
    env: {},
    cwd: '/',
    clock: systemClock,
    outputClosed: signal,
    newId: () => 'id',
    sleep: async () => {},
    catchInterrupts: () => signal,
    leave: () => {},
    handleSignals: () => () => {},
    hasTerminal: () => false,
    terminalJob: { isForeground: () => false, signal: () => {} },
  });
  await declareAll();
  const idle = (command: CliCommand): void => {
    command.exitOverride();
    if (!command.isGroup) command.action(() => {});
    for (const subcommand of command.commands) idle(subcommand as CliCommand);
  };
  idle(program);
  return program;
}

/** The error of commander for these arguments; `null` if it would run them. */
async function findFault(args: readonly string[]): Promise<string | null> {
  try {
    (await createIdleProgram()).parse(args, { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? null : `${error.code}: ${error.message}`;
  }
}

/** Words of a shell line up to the end of its first command, without quotes. Not a full shell parser, but sufficient here. */
function splitWords(line: string): string[] {
  const words: string[] = [];
  for (const [, single, double, substitution, end, plain] of line.matchAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|(\$\([^)]*\))|(&&|[|;>]|<(?!\w)|\s#.*)|([^\s'"|;&<>]+|<\w+>)/g,
  )) {
    if (end !== undefined) break;
    // In the documents, every substitution is a commit.
    words.push((single ?? double ?? substitution ?? plain ?? '').replace(/^\$\(.*\)$/, 'c0ffee00'));
  }
  return words;
}

/** Arguments of every `dockbell` on a line. It can follow `npx`, `sudo -u dockbell`, a container, a pipe or assignments. */
function listCalls(line: string): string[][] {
  return line
    .split(/(?:&&|\|)(?=(?:[^'"]|'[^']*'|"[^"]*")*$)/)
    .map((part) => part.trim().replace(/^docker (?:compose )?exec dockbell /, ''))
    .map((part) => /(?:^|(?<!-u)\s)dockbell (.*)$/.exec(part)?.[1])
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
  !/\b(?:npm|useradd|install|systemctl|journalctl|tar|docker (?:build|run)|kubectl)\b/.test(line.split('dockbell')[0]!);

const SHOWN = listDocuments()
  .flatMap(listShownLines)
  .filter(isCall)
  .flatMap(({ document, line }) => listCalls(line).map((args) => ({ document, args: args.join(' '), words: args })));

/** `dockbell …` in a sentence: only a mention, so arguments can be missing. */
const MENTIONED = listDocuments().flatMap((document) =>
  [...readProse(document).matchAll(/`(?:npx )?dockbell ([^`\n]+)`/g)].map((match) => ({ document, line: match[1]! })),
);

/** Errors that are allowed for a command that is only mentioned. */
const INCOMPLETE = ['commander.missingArgument', 'commander.missingMandatoryOptionValue', 'commander.help:'];

describe('commands that documents show', () => {
  it('exist in large number', () => {
    expect(SHOWN.length).toBeGreaterThan(60);
    expect(MENTIONED.length).toBeGreaterThan(40);
  });

  it.each(SHOWN)('$document: dockbell $args', async ({ words }) => {
    expect(await findFault(words)).toBeNull();
  });

  it('exist also if a sentence only mentions them', async () => {
    const faults: string[] = [];
    for (const { document, line } of MENTIONED) {
      const fault = await findFault(splitWords(line));
      const isIncomplete = INCOMPLETE.some((code) => fault?.startsWith(code));
      if (fault !== null && !isIncomplete) faults.push(`${document}: dockbell ${line}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });

  it.each([
    ['an unknown command', ['publish'], 'commander.unknownCommand'],
    ['an unknown option', ['status', '--wait-for', 'x'], 'commander.unknownOption'],
    ['a missing argument', ['run', 'log'], 'commander.missingArgument'],
    ['a value that is not allowed', ['token', 'create', 'a', '--role', 'root'], 'commander.invalidArgument'],
  ])('are rejected for %s', async (_what, words, code) => {
    expect(await findFault(words)).toContain(code);
  });
});

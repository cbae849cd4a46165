import { describe, expect, it } from 'vitest';
import { listFences, listPages, readProse } from '../helpers/documents.ts';
import { findFault, listCalls, splitWords } from '../helpers/parsed-commands.ts';

interface Shown {
  document: string;
  line: string;
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

const SHOWN = listPages()
  .flatMap(listShownLines)
  .filter(isCall)
  .flatMap(({ document, line }) => listCalls(line).map((args) => ({ document, args: args.join(' '), words: args })));

/** `dockbell …` in a sentence: only a mention, so arguments can be missing. */
const MENTIONED = listPages().flatMap((document) =>
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

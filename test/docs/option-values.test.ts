import type { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { listCommands, loadProgram, pathOf } from '../../scripts/program-tree.ts';
import type { CliCommand } from '../../src/cli/cli-command.ts';
import { listFieldNames } from '../../src/cli/output/result-options.ts';
import { listCalls, parseCommand } from '../helpers/parsed-commands.ts';

// The parser of the program reads every value that the help of a command documents.

/** Values of options without choices, by the command and the option, by the option, or by the placeholder of the value. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  'delivery list --label': [
    'Accepted',
    'Rejected (auth)',
    'Rejected (invalid JSON)',
    'Rejected (too large)',
    'Duplicate',
  ],
  'replay start --label': ['Accepted', 'Duplicate'],
  '--api-url': ['https://HOST/api/v3', 'https://HOST/api/v4'],
  '--data': ['{"number": 7}', '@event.json', '-'],
  '--expires': ['90d', '12h', 'never'],
  '--for': ['1s', '10m', '1h'],
  '--header': ['X-Event: push'],
  '--names': ['{"channels": {"triage": "C0123456789"}}'],
  '--event <json>': ['{"header": "X-Event"}', '"none"'],
  '--rate': ['5', '10/s'],
  '--reset': ['description', 'rotation-overlap'],
  '--signature': ['{"header": "X-Signature"}', '@signature.json'],
  'listen --since': ['2h', '2026-01-31T08:00:00Z', 'last'],
  '--webhook': ['ci', 'wh_01jd3v8k6n', 'last'],
  '--wait': ['c0ffee0', 'main~1'],
  '<command>': ['./agent.sh'],
  '<count>': ['1', '20'],
  '<dir>': ['.', 'factories/payments'],
  '<duration>': ['30s', '2m', '1h'],
  '<file>': ['file.json', '-'],
  '<header>': ['X-Event: push'],
  '<id>': ['72d3162e-cc78-11ee-81ab-4c9367dc0958'],
  '<label>': ['gpu'],
  '<name>': ['payments'],
  '<names>': ['X-Event'],
  '<number>': ['1', '8'],
  '<path>': ['sender.email', 'items[*].name', 'secrets/A_SECRET'],
  '<port>': ['8787'],
  '<ref>': ['dlv_01jd3v8k6n', 'last', '72d3162e-cc78-11ee-81ab-4c9367dc0958'],
  '<rev>': ['main', 'c0ffee0'],
  '<commit>': ['c0ffee0'],
  '<sample>': ['push', 'webhooks/ci.samples/push.json'],
  '<source>': ['sqlite:', 'sqlite:/var/lib/dockbell/dockbell.db'],
  '<target>': ['http://127.0.0.1:3000/hook', '.'],
  '<text>': ['a text'],
  '<time>': ['2h', '2026-01-31T08:00:00Z', '2026-01-31T08:00:00.5+01:00'],
  '<token>': ['dbk_x'],
  '<url>': ['http://127.0.0.1:8788', 'postgres://db/dockbell'],
  '<value>': ['a value'],
};

/** Values that a description names: after "such as", and words that replace a value. */
const NAMED = [
  /such as ("[^"]+"|\{.*\}|[^\s,;()]+)/g,
  /\b(?:or|,) (never|last|none)\b/g,
  /\((last)\)/g,
  /(@)FILE/g,
  /; (-) for/g,
];

interface Case {
  path: string;
  option: Option;
  command: CliCommand;
}

const program = await loadProgram();
const CASES = [program, ...listCommands(program)].flatMap((command): Case[] =>
  command.options
    .filter(({ required, optional }) => required || optional)
    .map((option) => ({ path: pathOf(command).slice(1).join(' '), option, command })),
);

function listValues({ path, option, command }: Case): readonly string[] {
  const { argChoices, long, flags } = option;
  const placeholder = `<${/<([^>.]+)/.exec(flags)?.[1]}>`;
  if (long === '--fields') return command.result === null ? [] : listFieldNames(command.result);
  const keys = [`${path} ${long}`, `${long} ${placeholder}`, long!, placeholder];
  return argChoices ?? keys.map((key) => VALUES[key]).find((values) => values !== undefined) ?? [];
}

function listNamed({ description }: Option): string[] {
  return NAMED.flatMap((pattern) =>
    [...description.matchAll(pattern)].map(([, value]) => value!.replace(/^"|"$/g, '')),
  );
}

/** The arguments and options that the command requires, then the option. */
function writeCall({ path, option, command }: Case, value: string): string[] {
  const words = path === '' ? ['status'] : path.split(' ');
  const required = command.registeredArguments.filter((argument) => argument.required);
  const needed = command.options.filter((other) => other.mandatory && other !== option);
  return [
    ...words,
    ...required.map(({ argChoices }) => argChoices?.[0] ?? 'x'),
    ...needed.flatMap(({ long }) => [long!, 'x']),
    option.long!,
    value,
  ];
}

/** What the work of the command gets for the option. Commander replaces a missing result of a parser by an empty text. */
async function read(given: Case, value: string): Promise<unknown> {
  return (await parseCommand(writeCall(given, value)))?.options[given.option.attributeName()] ?? '';
}

describe('options with a value', () => {
  it('exist in large number', () => {
    expect(CASES.length).toBeGreaterThan(150);
  });

  it.each(CASES)('$path $option.flags is read as documented', async (given) => {
    const values = listValues(given);
    expect(values, 'add the documented values of the option to VALUES').not.toEqual([]);
    const unlisted = listNamed(given.option).filter((named) => !values.some((value) => value.startsWith(named)));
    expect(unlisted, 'the description names values that no test reads').toEqual([]);
    for (const value of values) expect(await read(given, value), value).not.toBe('');
  });

  it('are read as the examples of the help show them', async () => {
    for (const command of listCommands(program)) {
      for (const [example] of command.notes?.examples ?? []) {
        for (const args of listCalls(example)) {
          const options = Object.entries((await parseCommand(args))?.options ?? {});
          expect(
            options.filter(([, value]) => value === ''),
            example,
          ).toEqual([]);
        }
      }
    }
  });
});

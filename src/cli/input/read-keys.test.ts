import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { eventually } from '../../../test/helpers/eventually.ts';
import { hasKeys, readKeys } from './read-keys.ts';

function openTerminal({ isForeground = true, isOutput = true } = {}) {
  const keys = new PassThrough();
  const seen: unknown[] = [];
  const stdin = Object.assign(keys, { isTTY: true, setRawMode: (on: boolean) => seen.push(on) });
  const stdout = Object.assign(new PassThrough(), { isTTY: isOutput });
  const terminalJob = { isForeground: () => isForeground, signal: (name: string) => void seen.push(name) };
  return { keys, seen, context: { stdin, stdout, terminalJob } };
}

it('passes single keys, but neither pasted text nor special keys, until the end', async () => {
  const { keys, seen, context } = openTerminal();
  const ended = new AbortController();
  readKeys(context, { onKey: (key) => seen.push(key), ended: ended.signal });
  for (const typed of ['s', 'sss', '\u001b[15~', '2']) {
    keys.write(typed);
    await eventually(() => keys.readableLength === 0 && keys.writableLength === 0);
  }
  await eventually(() => seen.includes('2'));
  ended.abort();
  keys.write('s');
  expect(seen).toEqual([true, 's', '2', false]);
  expect(keys.isPaused()).toBe(true);
});

it('sends the signal of Ctrl-C, and reads on after Ctrl-Z', async () => {
  const { keys, seen, context } = openTerminal();
  readKeys(context, { onKey: () => {}, ended: new AbortController().signal });
  keys.write('\u001a');
  await eventually(() => seen.length === 4);
  keys.write('a\u0003');
  await eventually(() => seen.length === 6);
  expect(seen).toEqual([true, false, 'SIGTSTP', true, false, 'SIGINT']);
});

it.each([
  ['in the background', { isForeground: false }],
  ['if a pager reads the output', { isOutput: false }],
])('has no keys %s', (_, terminal) => {
  expect(hasKeys(openTerminal(terminal).context)).toBe(false);
});

import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../domain/time/clock.ts';
import type { CliInput } from '../context.ts';
import { type CliError, exitCodeOf } from '../exit-codes.ts';
import { decodeSecretText, readSecretValue } from './read-secret-value.ts';

/** A terminal on which these keys are pressed, each chunk in one write. */
async function type(...chunks: string[]) {
  const keys = new PassThrough();
  const raw: boolean[] = [];
  const stdin: CliInput = Object.assign(keys, { isTTY: true, setRawMode: (on: boolean) => raw.push(on) });
  const shown = new PassThrough();
  const { signal } = new AbortController();
  const context = {
    stdin,
    stdout: shown,
    stderr: shown,
    env: {},
    cwd: '/',
    server: null,
    clock: systemClock,
    outputClosed: signal,
    newId: () => 'id',
    sleep: async () => {},
    catchInterrupts: () => signal,
    leave: () => {},
    handleSignals: () => () => {},
    hasTerminal: () => false,
    terminalJob: { isForeground: () => false, signal: () => {} },
  };
  const reading = readSecretValue(context, 'Value of S');
  for (const chunk of chunks) keys.write(chunk);
  const [value, exitCode] = await reading.then(
    (text) => [text, null],
    (error: CliError) => [error.message, exitCodeOf(error)],
  );
  return { value, exitCode, raw, shown: readAll(shown) };
}

/** Everything that was written. One call can return a part of it. */
function readAll(stream: PassThrough): string {
  const parts: string[] = [];
  for (let part = stream.read(); part !== null; part = stream.read()) parts.push(String(part));
  return parts.join('');
}

describe('a secret typed on a terminal', () => {
  it.each([
    [['geheim\r'], 'geheim'],
    [['ge', 'heim', '\n', 'more'], 'geheim'],
    [['ab\u007fc\r'], 'ac'],
    [['\u007f\u007fa\r'], 'a'],
    [['é👩\u007f\r'], 'é'],
    [['a\u0004'], 'a'],
  ])('%j is read as %j', async (chunks, expected) => {
    expect((await type(...chunks)).value).toBe(expected);
  });

  it('is hidden, and the terminal is restored', async () => {
    const { raw, shown } = await type('geheim\r');
    expect(raw).toEqual([true, false]);
    expect(shown).toBe('Value of S (hidden): \n');
  });

  it('is cancelled by Ctrl-C, which also restores the terminal', async () => {
    const { value, raw, exitCode } = await type('gehe\u0003');
    expect(value).toBe('Interrupted. Nothing was changed.');
    expect(exitCode).toBe(130);
    expect(raw).toEqual([true, false]);
  });

  it('is rejected when empty', async () => {
    expect((await type('\r')).value).toMatch(/^The value is empty/);
  });
});

describe('a secret in bytes', () => {
  it('keeps a byte order mark and drops one newline', () => {
    expect(decodeSecretText(Buffer.from('\ufeffa\n\n'))).toBe('\ufeffa\n');
  });

  it('is rejected if it is not UTF-8', () => {
    expect(() => decodeSecretText(Buffer.from([0xff, 0x61]))).toThrow('not valid UTF-8');
  });
});

import { describe, expect, it } from 'vitest';
import { textOf as textOfLine } from '../../../../domain/words/terminal-text.ts';
import { type LogBlock, LogLines } from './log-lines.ts';

const encoder = new TextEncoder();
const textOf = (blocks: readonly LogBlock[]) => blocks.flatMap(({ lines }) => lines.map(textOfLine)).join('\n');

describe('LogLines', () => {
  it('decodes the same text for every split of its bytes', () => {
    const text = 'straße 👩‍🚀\n\x1b[31mnext\x1b[0m';
    for (let cut = 0; cut <= encoder.encode(text).length; cut += 1) {
      const log = new LogLines();
      log.append(encoder.encode(text).subarray(0, cut));
      log.append(encoder.encode(text).subarray(cut));
      expect(textOf(log.blocks)).toBe('straße 👩‍🚀\nnext');
    }
  });

  it('closes blocks and never changes them', () => {
    const log = new LogLines();
    const line = `${'x'.repeat(99)}\n`;
    log.append(encoder.encode(line.repeat(1_050)));
    const before = log.blocks;
    expect(before.map(({ first }) => first)).toEqual([1, 101, 201, 301, 401, 501, 601, 701, 801, 901, 1001]);
    log.append(encoder.encode(line.repeat(1_000)));
    for (const [i, block] of before.slice(0, -1).entries()) expect(log.blocks[i]).toBe(block);
    expect(before.at(-1)!.lines).toHaveLength(50);
    expect(log.blocks.at(-1)!.first).toBe(2_001);
    expect(textOf(log.blocks)).toBe(line.repeat(2_050).trimEnd());
  });

  it('closes blocks of long lines earlier', () => {
    const log = new LogLines();
    log.append(encoder.encode(`${'x'.repeat(10_000)}\n`.repeat(10)));
    expect(log.blocks.map(({ lines }) => lines.length)).toEqual([4, 4, 2]);
  });

  it('shows an unfinished line, which later output continues or overwrites', () => {
    const log = new LogLines();
    log.append(encoder.encode('one\n10%'));
    expect(textOf(log.blocks)).toBe('one\n10%');
    log.append(encoder.encode('\r100%'));
    expect(textOf(log.blocks)).toBe('one\n100%');
    expect(new LogLines().blocks).toEqual([]);
  });

  it('knows where each line begins in the log, in bytes', () => {
    const log = new LogLines();
    log.append(encoder.encode('é one\n\nun'));
    log.append(encoder.encode(`finished\n${'x'.repeat(70_000)}\nopen`));
    expect(log.blocks.flatMap(({ offsets }) => offsets)).toEqual([0, 7, 8, 19, 19, 70_020]);
    for (const { lines, offsets } of log.blocks) expect(offsets).toHaveLength(lines.length);
  });

  it('drops the oldest of many lines, and keeps their numbers', () => {
    const log = new LogLines();
    log.append(encoder.encode('\n'.repeat(300_000)));
    log.append(encoder.encode('last'));
    expect(log.blocks.reduce((sum, { lines }) => sum + lines.length, 0)).toBe(200_001);
    expect(log.blocks[0]!.first).toBe(100_001);
  });
});

import { describe, expect, it } from 'vitest';
import { LogText } from './log-text.ts';

const encoder = new TextEncoder();

describe('LogText', () => {
  it('decodes the same text for every split of its bytes', () => {
    const text = 'straße 👩‍🚀\nnext\n';
    for (let cut = 0; cut <= encoder.encode(text).length; cut += 1) {
      const log = new LogText();
      log.append(encoder.encode(text).subarray(0, cut));
      log.append(encoder.encode(text).subarray(cut));
      expect(log.blocks.join('')).toBe(text);
    }
  });

  it('closes blocks between lines and never changes them', () => {
    const log = new LogText();
    const line = `${'x'.repeat(99)}\n`;
    log.append(encoder.encode(line.repeat(1000)));
    const before = log.blocks;
    expect(before.length).toBeGreaterThan(2);
    for (const block of before.slice(0, -1)) expect(block.endsWith('\n')).toBe(true);
    log.append(encoder.encode(line.repeat(1000)));
    expect(log.blocks.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    expect(log.blocks.join('')).toBe(line.repeat(2000));
  });

  it('splits a very long line, but no character', () => {
    const text = `a${'👩'.repeat(40_000)}`;
    const log = new LogText();
    log.append(encoder.encode(text));
    expect(log.blocks.join('')).toBe(text);
    for (const block of log.blocks) expect(block).not.toMatch(/\p{Cs}/u);
  });
});

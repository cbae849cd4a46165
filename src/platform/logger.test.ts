import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../domain/errors.ts';
import { SecretValue } from '../domain/secrets/secret-value.ts';
import { createLogger, type LogLevel } from './logger.ts';

const CANARY = 'canary "quoted"\nsecond line';
const redact = (text: string) => text.replaceAll(CANARY, '[redacted]').replaceAll('12345678', '[redacted]');

function record(format: 'json' | 'text' = 'json', level: LogLevel = 'info') {
  const lines: string[] = [];
  const logger = createLogger({
    level: () => level,
    format,
    redact,
    destination: { write: (line) => lines.push(line) },
  });
  return { logger, lines, entries: () => lines.map((line) => JSON.parse(line)) };
}

describe('JSON lines', () => {
  it('hold time, level, message and fields, those of the parents too', () => {
    const { logger, entries } = record();
    logger.child({ factory: 'payments' }).warn({ count: 2 }, 'something unusual');
    expect(entries()).toEqual([
      {
        level: 'warn',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        factory: 'payments',
        count: 2,
        msg: 'something unusual',
      },
    ]);
  });

  it('omit what is below the level', () => {
    const { logger, lines } = record('json', 'error');
    logger.info({}, 'no');
    logger.warn({}, 'no');
    logger.error({}, 'yes');
    expect(lines).toHaveLength(1);
  });

  it('follow a change of the level, with those of loggers that exist', () => {
    let level: LogLevel = 'silent';
    const lines: string[] = [];
    const destination = { write: (line: string) => lines.push(line) };
    const child = createLogger({ level: () => level, format: 'json', redact, destination }).child({ factory: 'a' });
    child.error({}, 'no');
    level = 'warn';
    child.info({}, 'no');
    child.warn({}, 'first');
    level = 'info';
    child.info({}, 'second');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['first', 'second']);
  });

  it('mask secrets in messages, fields, keys, numbers, lists and errors', () => {
    const { logger, lines, entries } = record();
    const err = new AppError('internal', `failed with ${CANARY}`, {
      cause: new Error(`because of ${CANARY}`),
      details: { deep: [CANARY] },
    });
    const fields = {
      a: CANARY,
      [CANARY]: 1,
      n: 12345678,
      list: [{ x: `<${CANARY}>` }],
      err,
      secret: new SecretValue('x'),
    };
    logger.child({ parent: CANARY }).error(fields, `message ${CANARY}`);
    expect(lines.join('')).not.toContain('canary');
    expect(lines.join('')).not.toContain('12345678');
    expect(entries()[0]).toMatchObject({
      a: '[redacted]',
      '[redacted]': 1,
      n: '[redacted]',
      list: [{ x: '<[redacted]>' }],
      secret: '[redacted]',
      parent: '[redacted]',
      msg: 'message [redacted]',
      err: { code: 'internal', message: 'failed with [redacted]', cause: { message: 'because of [redacted]' } },
    });
  });
});

describe('no text of a third party', () => {
  const hostile = fc.string({
    maxLength: 30,
    unit: fc.constantFrom(
      '\n',
      '\r',
      '\u001b',
      '\u007f',
      '\u0085',
      '\u009b',
      '\u2028',
      '\u202e',
      '\u200b',
      '\ufeff',
      '\u{e0001}',
      '"',
      '\\',
      '}',
      'a',
    ),
  });
  const escaped = /[\u0000-\u001f\u007f-\u009f\u200b\u2028\u2029\u202a-\u202e\ufeff]|\u{e0001}/u;

  it.each(['json', 'text'] as const)('forges a line or reaches a terminal as a command, in %s', (format) => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (message, key, value) => {
        const { logger, lines } = record(format);
        logger.info({ [`k${key}`]: value, err: new Error(value) }, message);
        expect(lines).toHaveLength(1);
        expect(lines[0]!.slice(0, -1)).not.toMatch(escaped);
        expect(lines[0]!.endsWith('\n')).toBe(true);
      }),
    );
  });

  it('is changed by escaping where a program reads the JSON', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const { logger, entries } = record();
        logger.info({ value }, 'x');
        expect(entries()[0].value).toBe(value);
      }),
    );
  });
});

describe('text lines', () => {
  it('are short, with errors by their message', () => {
    const { logger, lines } = record('text');
    logger.warn({ factory: 'payments', note: 'two words', err: new Error('broken') }, 'apply failed');
    expect(lines[0]).toMatch(/^\d{4}-\S+Z WARN {2}apply failed {2}factory=payments note="two words" err=broken\n$/);
  });
});

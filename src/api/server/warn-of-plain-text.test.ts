import { expect, it } from 'vitest';
import type { Logger } from '../../domain/ports/logger.ts';
import { warnOfPlainText } from './warn-of-plain-text.ts';

function warningsFor(host: string, url: string | null): string[] {
  const lines: string[] = [];
  const logger = { warn: (_fields: object, message: string) => void lines.push(message) } as unknown as Logger;
  warnOfPlainText({ host, url }, logger);
  return lines;
}

it.each([
  ['0.0.0.0', null],
  ['::', null],
  ['10.0.0.5', null],
  ['dockbell.internal', null],
  ['0.0.0.0', 'http://dockbell.example.com'],
])('an admin listener at %s with the address %s is warned of', (host, url) => {
  expect(warningsFor(host, url)).toEqual([expect.stringMatching(/without TLS: .*admin\.url/)]);
});

it.each([
  ['127.0.0.1', null],
  ['127.0.0.2', null],
  ['::1', null],
  ['localhost', null],
  ['0.0.0.0', 'https://dockbell.example.com'],
])('an admin listener at %s with the address %s is not', (host, url) => {
  expect(warningsFor(host, url)).toEqual([]);
});

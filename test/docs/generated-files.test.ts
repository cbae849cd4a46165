import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { GENERATORS, type GeneratedFiles } from '../../scripts/generators.ts';
import { locate, readDocument } from '../helpers/documents.ts';

/** Prints what the generators make, in another order than `npm run generate`. */
const PROGRAM = `
import { GENERATORS, type GeneratedFiles } from './scripts/generators.ts';
const made = [];
for (const [name, make] of Object.entries(GENERATORS).reverse()) made.push([name, [...(await make())]]);
process.stdout.write(JSON.stringify(made));
`;
const ELSEWHERE = { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', HOME: '/nowhere', USER: 'somebody' };

const NAMED = Object.entries(GENERATORS);
const made = new Map<string, GeneratedFiles>();

beforeAll(async () => {
  for (const [name, make] of NAMED) made.set(name, await make());
});

it.each(NAMED)('the generator of %s made the files that are here; npm run generate renews them', (name) => {
  expect(made.get(name)!.size).toBeGreaterThan(0);
  for (const [path, text] of made.get(name)!) expect(readDocument(path) === text, path).toBe(true);
});

describe('another process, order, time zone and language', { tags: 'full' }, () => {
  let madeElsewhere: Map<string, [path: string, text: string][]>;
  beforeAll(async () => {
    const args = ['--input-type=module-typescript', '--eval', PROGRAM];
    const options = { cwd: locate('.'), env: { PATH: process.env.PATH, ...ELSEWHERE }, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    madeElsewhere = new Map(JSON.parse(stdout));
  });

  it.each(NAMED)('make the same bytes with the generator of %s', (name) => {
    expect([...made.get(name)!]).toEqual(madeElsewhere.get(name));
  });
});

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

/** What the generators make in another process, order, time zone and language. */
let madeElsewhere: Map<string, [path: string, text: string][]>;

beforeAll(async () => {
  const args = ['--input-type=module-typescript', '--eval', PROGRAM];
  const options = { cwd: locate('.'), env: { PATH: process.env.PATH, ...ELSEWHERE }, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  madeElsewhere = new Map(JSON.parse(stdout));
});

describe.each(Object.entries(GENERATORS))('the generator of %s', (name, make) => {
  let made: GeneratedFiles;
  beforeAll(async () => {
    made = await make();
    expect(made.size).toBeGreaterThan(0);
  });

  it('is reproducible: it makes the same bytes in another process, order, time zone and language', () => {
    const others = new Map(madeElsewhere.get(name));
    expect([...made.keys()]).toEqual([...others.keys()]);
    for (const [path, text] of made) expect(others.get(path) === text, path).toBe(true);
  });

  it('made the files that are here; npm run generate renews them', () => {
    for (const [path, text] of made) expect(readDocument(path) === text, path).toBe(true);
  });
});

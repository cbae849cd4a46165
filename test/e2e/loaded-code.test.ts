import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const LISTER = new URL('../helpers/list-loaded-files.mjs', import.meta.url).href;
const FACTORY = fileURLToPath(new URL('../../example-factory', import.meta.url));

/** The JavaScript files that one command of the built program loads. */
async function listLoaded(args: readonly string[]): Promise<{ names: string[]; kilobytes: number }> {
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', LISTER, MAIN, ...args]);
  const loaded = JSON.parse(stderr.trim().split('\n').at(-1)!) as { url: string; bytes: number }[];
  const bytes = loaded.reduce((sum, file) => sum + file.bytes, 0);
  return { names: loaded.map(({ url }) => url.slice(url.lastIndexOf('/') + 1)), kilobytes: Math.ceil(bytes / 1024) };
}

// Reading and compiling code is most of the time of a short command. Its amount does not depend on the machine.
describe('the code that a command loads', () => {
  it.each([
    { args: ['--version'], files: 25, kilobytes: 190 },
    { args: ['--help'], files: 25, kilobytes: 190 },
    { args: ['status', '--help'], files: 50, kilobytes: 450 },
    { args: ['validate', FACTORY], files: 76, kilobytes: 1_160 },
  ])('$args.0 is at most $files files and $kilobytes KB', async ({ args, files, kilobytes }) => {
    const loaded = await listLoaded(args);
    expect(loaded.names).toContain('main.js');
    expect(loaded.names.length, loaded.names.join(' ')).toBeLessThanOrEqual(files);
    expect(loaded.kilobytes, loaded.names.join(' ')).toBeLessThanOrEqual(kilobytes);
  });

  it('of dockbell validate is nothing of the daemon and its client', async () => {
    const { names } = await listLoaded(['validate', FACTORY]);
    expect(
      names.filter((name) => /^(?:start-daemon|sqlite-storage|load-config|config|options|connect-daemon)-/.test(name)),
    ).toEqual([]);
  });
});

// V8 stores a source with any other character as UTF-16, which doubles the memory of its file in each thread.
it('all code of the program is ASCII', () => {
  const dist = new URL('../../dist/', import.meta.url);
  const threads = ['reconcile/thread/worker.js', 'storage/sqlite/thread/worker.js'];
  const chunks = readdirSync(new URL('chunks/', dist)).map((name) => `chunks/${name}`);
  const isAscii = (file: string) => readFileSync(new URL(file, dist)).every((byte) => byte < 128);
  expect(['main.js', ...threads, ...chunks].filter((file) => !isAscii(file))).toEqual([]);
});

// The build creates the pattern of all emoji at its first use (`scripts/lazy-emoji.mjs`).
it('the built program measures the width of texts as string-width does', async () => {
  const chunks = new URL('../../dist/chunks/', import.meta.url);
  const name = readdirSync(chunks).find((file) => file.startsWith('string-width-'))!;
  const [built] = Object.values(await import(new URL(name, chunks).href)) as [typeof stringWidth];
  const texts = [
    'plain',
    'caf\u00e9',
    'e\u0301',
    '\u65e5\u672c',
    '\u{1f468}\u200d\u{1f469}',
    '\u{1f1e9}\u{1f1ea}',
    '1\ufe0f\u20e3',
    '\u26a0',
  ];
  expect(texts.map((text) => built(text))).toEqual(texts.map((text) => stringWidth(text)));
  expect(texts.map((text) => built(text))).toEqual([5, 4, 1, 4, 2, 2, 2, 1]);
});

it('dockbell version names the commit of the build', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'version', '--json']);
  expect(JSON.parse(stdout).commit).toMatch(/^[0-9a-f]{40}(-dirty)?$/);
});

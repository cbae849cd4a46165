// Reports words of scripts/prose/words.yaml and long sentences in every text of the repository. Arguments limit it to files
// and folders, which are checked even if they are pending. `--count` prints the number of findings for each folder.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { extractProse } from './prose/extract-prose.ts';
import {
  compileEntries,
  type Finding,
  findInNames,
  findLongSentences,
  isBelow,
  splitName,
} from './prose/find-words.ts';
import { readWordList } from './prose/word-list.ts';

const options = new Set(process.argv.slice(2).filter((arg) => arg.startsWith('--')));
const paths = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));

const list = readWordList();
const findWords = compileEntries(list.words);
const findNames = compileEntries(list.names);

const findings = listFiles(paths).flatMap((path) => {
  const content = readFileSync(path, 'utf8');
  return checkFile(path, content).map((finding) => ({ path, content, finding }));
});

if (options.has('--count')) printCounts();
else for (const { path, content, finding } of findings) console.log(formatFinding(path, content, finding));
if (findings.length > 0) {
  console.log(`${findings.length} findings. The words and their exceptions are in scripts/prose/words.yaml.`);
  process.exitCode = 1;
}

/** The files below the paths, or every file that is neither pending nor excluded. */
function listFiles(below: readonly string[]): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...below];
  const files = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter(Boolean);
  const deleted = new Set(execFileSync('git', ['ls-files', '-z', '--deleted'], { encoding: 'utf8' }).split('\0'));
  const skipped = below.length > 0 ? list.excluded : [...list.excluded, ...list.pending];
  return files.filter((path) => !deleted.has(path) && !skipped.some((folder) => isBelow(path, folder)));
}

function checkFile(path: string, content: string): Finding[] {
  const prose = extractProse(path, content);
  if (prose === undefined) return [];
  const inPath = findNames(splitName(basename(path)), path).map((finding) => ({ ...finding, offset: 0 }));
  const inNames = findInNames(prose, path, findNames);
  const found = [...inPath, ...inNames, ...findWords(prose.text, path), ...findLongSentences(prose)];
  return found.sort((a, b) => a.offset - b.offset);
}

function formatFinding(path: string, content: string, { offset, phrase, write }: Finding): string {
  const before = content.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  return `${path}:${line}:${column}: "${phrase}": write "${write}"`;
}

function printCounts(): void {
  const counts = new Map<string, number>();
  for (const { path } of findings) {
    const folder = dirname(path).split('/').slice(0, 2).join('/');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of [...counts].sort()) console.log(`${String(count).padStart(6)} ${folder}`);
}

// Writes the manual pages to man/, which is part of the package and not of the repository. SOURCE_DATE_EPOCH or the time of
// the commit is their date, so the same commit makes the same bytes.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderManPages } from './man-pages.ts';
import { readSourceTime } from './source-time.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const date = readSourceTime(ROOT).toISOString().slice(0, 10);

rmSync(join(ROOT, 'man'), { recursive: true, force: true });
mkdirSync(join(ROOT, 'man'));
for (const { file, text } of await renderManPages({ version, date })) writeFileSync(join(ROOT, 'man', file), text);

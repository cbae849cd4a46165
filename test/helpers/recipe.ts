import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDocument } from './documents.ts';

/** A numbered step of a recipe: the code for one file. */
interface RecipeStep {
  file: string;
  /** The list that gets the code at its end; `null` for a new file. */
  list: string | null;
  code: string;
}

/** The steps of a section of CONTRIBUTING.md that have code: a file, in most cases `in` a list, and a block below. */
export function readRecipe(title: string): RecipeStep[] {
  const text = readDocument('CONTRIBUTING.md').split(`\n### ${title}\n`)[1]?.split('\n### ')[0] ?? '';
  return text.split(/^(?=\d+\. )/m).flatMap((step): RecipeStep[] => {
    const [, file, about = ''] = /^\d+\. `([^`]+)`: ([\s\S]*?)\n\n/.exec(step) ?? [];
    const code = /^ {3}```ts\n([\s\S]*?)^ {3}```$/m.exec(step)?.[1];
    if (file === undefined || code === undefined) return [];
    const list = /\bin `(\w+)`/.exec(about)?.[1] ?? null;
    return [{ file, list, code: code.replaceAll(/^ {3}/gm, '') }];
  });
}

/** Follows the steps in a copy of the work tree. */
export function applyRecipe(folder: string, steps: readonly RecipeStep[]): void {
  for (const { file, list, code } of steps) {
    const path = join(folder, file);
    if (list === null && existsSync(path)) throw new Error(`${file} exists, and its step names no list`);
    writeFileSync(path, list === null ? code : appendTo(readFileSync(path, 'utf8'), list, code));
  }
}

/** Adds code in front of the line that ends the list, and its imports to the beginning of the file. */
function appendTo(source: string, list: string, code: string): string {
  const [, imports = '', entries = ''] = /^((?:import .*\n)*)([\s\S]*)$/.exec(code)!;
  const start = source.search(new RegExp(`^(?:export )?const ${list}\\b`, 'm'));
  const end = start === -1 ? -1 : start + source.slice(start).search(/^[\])}]/m);
  if (end < start || start === -1) throw new Error(`no list ${list}`);
  return `${imports}${source.slice(0, end)}${entries}${source.slice(end)}`;
}

import { automationNameOf, automationPaths } from '../../domain/definitions/definition-paths.ts';
import type { TreeEntry } from '../../domain/definitions/source-tree.ts';
import { quote } from '../yaml/key-path.ts';
import {
  checkName,
  type NamedFile,
  type ReportPath,
  reportNotAFile,
  SAMPLES_FOLDER,
  type SampleOwner,
} from './definition-file.ts';
import { foldCase } from './find-name-collisions.ts';
import type { SampleSorter } from './sort-samples.ts';

type AutomationFile = NamedFile<'automation'>;

const ALMOST_AUTOMATION = /^(?:automations?|prompt)\.(?:md|markdown|mdx|mdown|txt|ya?ml)$|^automation$/i;
const ALMOST_FLAT = /^(?!\.|readme\.)(.+)\.(?:md|markdown|mdx|mdown|ya?ml)$/i;
const NOTE = /^(?:\..*|readme(?:\..*)?)$/i;

/**
 * Finds the automations below `automations/`: folders with an `automation.md`, and flat files.
 *
 * @param entries below `automations/`, in the order of their paths
 * @param samples receives the entries of the folders of samples
 */
export function sortAutomations(
  entries: readonly TreeEntry[],
  samples: SampleSorter,
  report: ReportPath,
): AutomationFile[] {
  const flat: AutomationFile[] = [];
  const folders = new Map<string, TreeEntry[]>();
  for (const entry of entries) {
    const [, name = '', ...inside] = entry.path.split('/');
    if (inside.length === 0) flat.push(...sortFlatEntry(entry, name, report));
    else if (folders.has(name)) folders.get(name)!.push(entry);
    else folders.set(name, [entry]);
  }
  const flatNames = new Set(flat.map(({ name }) => name));
  const found = [...folders].flatMap(([name, inside]) => {
    const owner = findSampleOwner(name, inside);
    if (owner === null) return sortFolder(name, inside, flatNames.has(name), report);
    for (const entry of inside) samples.sort(entry, owner, entry.path.split('/').slice(2));
    return [];
  });
  return [...found, ...omitDuplicates(flat, found, report)].sort((a, b) => (a.entry.path < b.entry.path ? -1 : 1));
}

function sortFlatEntry(entry: TreeEntry, fileName: string, report: ReportPath): AutomationFile[] {
  const name = automationNameOf(entry.path);
  const almost = ALMOST_FLAT.exec(fileName)?.[1];
  if (entry.kind !== 'file') reportNotAFile(entry, report);
  else if (name !== null) return [{ kind: 'automation', name: checkName('automation', entry, name, report), entry }];
  else if (almost !== undefined) {
    const { folder, flat } = automationPaths(almost);
    const message = `The file of an automation must end in ".md", but this file is named ${quote(fileName)}.`;
    report(entry, 'automation/wrong-file-name', message, `Rename it to ${flat}, or move it to ${folder}.`);
  } else if (!NOTE.test(fileName)) {
    const { folder, flat } = automationPaths('<name>');
    const message = `${quote(fileName)} is not a definition and is ignored.`;
    report(entry, 'automation/ignored-file', message, `An automation is a file ${folder} or ${flat}.`);
  }
  return [];
}

/** The automation whose samples the folder has. A folder with an `automation.md` is an automation, regardless of its name. */
function findSampleOwner(name: string, entries: readonly TreeEntry[]): SampleOwner | null {
  const owner = SAMPLES_FOLDER.exec(name)?.[1];
  if (owner === undefined || entries.some(({ path }) => automationNameOf(path) === name)) return null;
  return { kind: 'automation', name: owner };
}

/** @param isFlat does a flat file declare the automation with the name of the folder? */
function sortFolder(name: string, entries: TreeEntry[], isFlat: boolean, report: ReportPath): AutomationFile[] {
  const folder = `automations/${name}/`;
  for (const entry of entries) {
    if (entry.path.slice(folder.length).endsWith('/automation.md')) reportNestedAutomation(entry, folder, report);
  }
  const exact = entries.find((entry) => automationNameOf(entry.path) === name);
  if (exact !== undefined && exact.kind === 'file') {
    return [{ kind: 'automation', name: checkName('automation', exact, name, report), entry: exact }];
  }
  if (exact !== undefined) reportNotAFile(exact, report);
  else reportNoAutomation(name, entries, isFlat, report);
  return [];
}

function reportNoAutomation(name: string, entries: TreeEntry[], isFlat: boolean, report: ReportPath): void {
  const { folder: right, flat } = automationPaths(name);
  const inside = (entry: TreeEntry) => entry.path.slice(`automations/${name}/`.length);
  const almost = entries.find((entry) => ALMOST_AUTOMATION.test(inside(entry)));
  if (almost !== undefined) {
    const message = `The file of an automation must be named automation.md, not ${quote(inside(almost))}.`;
    report(almost, 'automation/wrong-file-name', message, `Rename it to ${right}.`);
  } else if (!name.startsWith('.')) {
    const message = `The folder ${quote(name)} contains no automation.md and is ignored.`;
    const hint = isFlat ? `Move ${flat} to ${right}, or remove the folder.` : `Add ${right}, or remove the folder.`;
    report(entries[0]!, 'automation/no-file', message, hint);
  }
}

function reportNestedAutomation(entry: TreeEntry, folder: string, report: ReportPath): void {
  const message = `Automations must be in automations/<name>/, but this one is deeper, below ${folder}.`;
  const name = entry.path.split('/').at(-2);
  report(entry, 'automation/nested-file', message, `Move it to automations/${name}/automation.md.`);
}

/** The flat files without those whose name a folder declares too. */
function omitDuplicates(
  flat: readonly AutomationFile[],
  folders: readonly AutomationFile[],
  report: ReportPath,
): AutomationFile[] {
  const byFold = new Map(folders.map((file) => [foldCase(file.name), file]));
  return flat.filter(({ name, entry }) => {
    const other = byFold.get(foldCase(name));
    if (other === undefined) return true;
    if (other.name === name) {
      const message = `The automation ${quote(name)} is declared twice, in ${other.entry.path} and in ${entry.path}.`;
      report(entry, 'automation/duplicate-form', message, 'Remove one of the two files.');
      return false;
    }
    const message = `The names ${quote(other.name)} and ${quote(name)} differ only in case, or in how letters are composed.`;
    report(entry, 'automation/name-collision', message, 'Rename one of the automations.');
    return true;
  });
}

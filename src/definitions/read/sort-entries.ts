import { isAgentPath } from '../../core/agent-files.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import type { RuleId } from '../../core/rules.ts';
import type { SourceTree, TreeEntry } from '../../core/source-tree.ts';
import { WEBHOOK_NAME_PATTERN } from '../../words/names.ts';
import { quote } from '../../yaml/key-path.ts';
import { FILE_START } from '../../yaml/positions.ts';
import { toDiagnostic } from '../file-diagnostics.ts';
import { findNameCollisions } from './find-name-collisions.ts';

/** `factory.yaml`. */
export interface FactoryFile {
  kind: 'factory';
  entry: TreeEntry;
}

/** A definition file and the name that it declares. */
export interface NamedFile<Kind extends 'webhook' | 'automation' | 'sample'> {
  kind: Kind;
  name: string;
  entry: TreeEntry;
}

/** A sample of a webhook; folder and file name identify it. */
export interface SampleFile extends NamedFile<'sample'> {
  webhook: string;
}

/** A file of a definition. Its path decides its kind and its names. */
export type DefinitionFile = FactoryFile | NamedFile<'webhook'> | NamedFile<'automation'> | SampleFile;

/** The entries of a tree by kind, in the order of their paths, and the problems of their paths. */
export interface SortedEntries {
  factory: FactoryFile | null;
  webhooks: NamedFile<'webhook'>[];
  automations: NamedFile<'automation'>[];
  /** At most `MAX_SAMPLES_PER_WEBHOOK` of each webhook. */
  samples: SampleFile[];
  /** Does the tree contain `factory.yaml`, `webhooks/` or `automations/`? */
  isFactory: boolean;
  diagnostics: Diagnostic[];
}

/** Further samples of a webhook are not read, because the daemon reads samples too. */
const MAX_SAMPLES_PER_WEBHOOK = 200;

// Notes next to definitions are not reported.
const NOTE = /^(?:\..*|readme(?:\..*)?|.*\.md)$/i;
const ALMOST_AUTOMATION = /^(?:automations?|prompt)\.(?:md|markdown|mdx|mdown|txt|ya?ml)$|^automation$/i;
const SAMPLES_FOLDER = /^(.*)\.samples$/;
const ROOTS = ['factory.yaml', 'webhooks', 'automations'];

/** Determines the kind of each entry of a tree by its path. */
export function sortEntries(tree: SourceTree): SortedEntries {
  const declared = { factory: null, webhooks: [], automations: [], samples: [] };
  const sorted: SortedEntries = { ...declared, isFactory: false, diagnostics: [] };
  const report: Report = (entry, rule, message, hint) => {
    sorted.diagnostics.push(toDiagnostic(tree.prefix + entry.path, { rule, at: FILE_START, path: [], message, hint }));
  };
  const folders = new Map<string, TreeEntry[]>();
  const sampleFolders = new Map<string, number>();
  const misspelt = new Set<string>();
  const definition = tree.entries.filter(({ path }) => !isAgentPath(path));
  const entries = definition.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  for (const entry of entries) {
    sortEntry(entry, { sorted, folders, sampleFolders, misspelt, report });
  }
  for (const [name, entries] of folders) sortFolder(name, entries, sorted, report);
  reportCollisions(entries, report);
  return sorted;
}

/** A tree and its entries by kind. */
export interface SortedTree {
  tree: SourceTree;
  sorted: SortedEntries;
}

/** As `sortEntries`. Only replaces the entries of an earlier tree if both trees consist of the same paths. */
export function sortSimilarEntries(tree: SourceTree, earlier: SortedTree | null): SortedEntries {
  if (earlier === null || !haveSamePaths(tree, earlier.tree)) return sortEntries(tree);
  const replaced = new Map<TreeEntry, TreeEntry>();
  for (const [index, entry] of tree.entries.entries()) {
    const before = earlier.tree.entries[index]!;
    if (entry !== before) replaced.set(before, entry);
  }
  const update = <File extends DefinitionFile>(file: File): File => {
    const entry = replaced.get(file.entry);
    return entry === undefined ? file : { ...file, entry };
  };
  const { factory, webhooks, automations, samples, isFactory, diagnostics } = earlier.sorted;
  return {
    factory: factory && update(factory),
    webhooks: webhooks.map(update),
    automations: automations.map(update),
    samples: samples.map(update),
    isFactory,
    diagnostics,
  };
}

/** Paths and kinds decide everything but the entries themselves. */
function haveSamePaths(tree: SourceTree, other: SourceTree): boolean {
  if (tree.prefix !== other.prefix || tree.entries.length !== other.entries.length) return false;
  return tree.entries.every(({ path, kind }, index) => {
    const entry = other.entries[index]!;
    return path === entry.path && kind === entry.kind;
  });
}

/** All files of a definition, in the order in which they are read. */
export function listFiles({ factory, webhooks, automations, samples }: SortedEntries): DefinitionFile[] {
  return [...(factory === null ? [] : [factory]), ...webhooks, ...automations, ...samples];
}

type Report = (entry: TreeEntry, rule: RuleId, message: string, hint: string) => void;

interface Walk {
  sorted: SortedEntries;
  /** Folder below `automations/` → its entries. */
  folders: Map<string, TreeEntry[]>;
  /** Webhook → number of samples in its folder. */
  sampleFolders: Map<string, number>;
  /** Roots that were reported; each is reported once. */
  misspelt: Set<string>;
  report: Report;
}

function sortEntry(entry: TreeEntry, walk: Walk): void {
  const { sorted, folders, misspelt, report } = walk;
  const [root = '', ...below] = entry.path.split('/');
  const known = ROOTS.find((name) => name === root.toLowerCase());
  if (root.toLowerCase() === 'factory.yml' && below.length === 0) {
    sorted.isFactory = true;
    reportExtension(entry, 'factory.yaml', report);
  } else if (known !== undefined) {
    sorted.isFactory = true;
    if (known !== root) {
      if (!misspelt.has(root)) reportWrongCase(entry, known, report);
      misspelt.add(root);
    } else if (below.length === 0 && entry.kind !== 'file') reportNotAFile(entry, report);
    else if (known === 'factory.yaml' && below.length === 0) sorted.factory = { kind: 'factory', entry };
    else if (known === 'webhooks' && below.length > 0) sortWebhookEntry(entry, below, walk);
    else if (known === 'automations' && below.length > 0) sortAutomationEntry(entry, below, folders, report);
  }
}

function sortWebhookEntry(entry: TreeEntry, below: string[], walk: Walk): void {
  const { sorted, report } = walk;
  const fileName = below.at(-1)!;
  const extension = /\.ya?ml$/i.exec(fileName)?.[0];
  const webhook = below.length > 1 ? SAMPLES_FOLDER.exec(below[0]!)?.[1] : undefined;
  if (entry.kind !== 'file') reportNotAFile(entry, report);
  else if (webhook !== undefined) sortSampleEntry(entry, webhook, below.slice(1), walk);
  else if (extension === undefined) reportIgnoredWebhookFile(entry, fileName, report);
  else if (below.length > 1) {
    const message = `Webhooks must be directly in webhooks/, but this file is in the folder ${quote(below.slice(0, -1).join('/'))}.`;
    report(entry, 'webhook/nested-file', message, `Move it to webhooks/${fileName}.`);
  } else if (extension !== '.yaml') reportExtension(entry, `${fileName.slice(0, -extension.length)}.yaml`, report);
  else
    sorted.webhooks.push({
      kind: 'webhook',
      name: checkName('webhook', entry, fileName.slice(0, -extension.length), report),
      entry,
    });
}

function sortSampleEntry(entry: TreeEntry, webhook: string, below: string[], walk: Walk): void {
  const { sorted, sampleFolders, report } = walk;
  const fileName = below.at(-1)!;
  if (!fileName.endsWith('.json')) reportIgnoredSampleFile(entry, fileName, report);
  else if (below.length > 1) {
    const message = `Samples must be directly in webhooks/${webhook}.samples/. This file is deeper and is ignored.`;
    report(entry, 'sample/nested-file', message, `Move it to webhooks/${webhook}.samples/${fileName}.`);
  } else {
    const count = (sampleFolders.get(webhook) ?? 0) + 1;
    sampleFolders.set(webhook, count);
    const name = fileName.slice(0, -'.json'.length);
    if (count <= MAX_SAMPLES_PER_WEBHOOK) sorted.samples.push({ kind: 'sample', webhook, name, entry });
    else if (count === MAX_SAMPLES_PER_WEBHOOK + 1) reportTooManySamples(entry, webhook, report);
  }
}

function reportIgnoredSampleFile(entry: TreeEntry, fileName: string, report: Report): void {
  if (NOTE.test(fileName)) return;
  const message = `${quote(fileName)} is not a sample and is ignored: samples are files that end in .json.`;
  report(entry, 'sample/ignored-file', message, 'Rename the file to end in .json, or move it out of the folder.');
}

function reportTooManySamples(entry: TreeEntry, webhook: string, report: Report): void {
  const message = `The webhook ${quote(webhook)} has more than ${MAX_SAMPLES_PER_WEBHOOK} samples. This sample and the following ones are not read.`;
  report(entry, 'sample/too-many', message, 'Keep one sample per decision that must not change.');
}

function reportIgnoredWebhookFile(entry: TreeEntry, fileName: string, report: Report): void {
  if (NOTE.test(fileName)) return;
  const message = `${quote(fileName)} is not a definition and is ignored: webhooks are files that end in .yaml.`;
  report(
    entry,
    'webhook/ignored-file',
    message,
    'Rename the file to end in .yaml, or move it out of webhooks/. Samples belong in webhooks/<name>.samples/.',
  );
}

function sortAutomationEntry(
  entry: TreeEntry,
  below: string[],
  folders: Map<string, TreeEntry[]>,
  report: Report,
): void {
  const [folder = '', ...inside] = below;
  if (inside.length > 0) {
    const entries = folders.get(folder);
    if (entries === undefined) folders.set(folder, [entry]);
    else entries.push(entry);
  } else if (entry.kind !== 'file') reportNotAFile(entry, report);
  else reportLooseFile(entry, folder, report);
}

function reportLooseFile(entry: TreeEntry, fileName: string, report: Report): void {
  const name = fileName.replace(/\.(?:md|markdown|ya?ml)$/i, '');
  if (name !== fileName && !/^readme$/i.test(name) && !name.startsWith('.')) {
    const message = `An automation is a folder, but ${quote(fileName)} is directly in automations/.`;
    report(entry, 'automation/not-in-folder', message, `Move it to automations/${name}/automation.md.`);
  } else if (!NOTE.test(fileName)) {
    const message = `${quote(fileName)} is not a definition and is ignored.`;
    report(entry, 'automation/ignored-file', message, 'An automation is a file automations/<name>/automation.md.');
  }
}

function sortFolder(name: string, entries: TreeEntry[], sorted: SortedEntries, report: Report): void {
  const folder = `automations/${name}/`;
  for (const entry of entries) {
    if (entry.path.slice(folder.length).endsWith('/automation.md')) reportNestedAutomation(entry, folder, report);
  }
  const exact = entries.find((entry) => entry.path === `${folder}automation.md`);
  if (exact !== undefined) {
    if (exact.kind !== 'file') reportNotAFile(exact, report);
    else
      sorted.automations.push({ kind: 'automation', name: checkName('automation', exact, name, report), entry: exact });
    return;
  }
  const almost = entries.find((entry) => ALMOST_AUTOMATION.test(entry.path.slice(folder.length)));
  if (almost !== undefined) {
    const message = `The file of an automation must be named automation.md, not ${quote(almost.path.slice(folder.length))}.`;
    report(almost, 'automation/wrong-file-name', message, `Rename it to ${folder}automation.md.`);
  } else if (!name.startsWith('.')) {
    const message = `The folder ${quote(name)} contains no automation.md and is ignored.`;
    report(entries[0]!, 'automation/no-file', message, `Add ${folder}automation.md, or remove the folder.`);
  }
}

function reportNestedAutomation(entry: TreeEntry, folder: string, report: Report): void {
  const message = `Automations must be in automations/<name>/, but this one is deeper, below ${folder}.`;
  const name = entry.path.split('/').at(-2);
  report(entry, 'automation/nested-file', message, `Move it to automations/${name}/automation.md.`);
}

function checkName(kind: 'webhook' | 'automation', entry: TreeEntry, name: string, report: Report): string {
  if (WEBHOOK_NAME_PATTERN.test(name)) return name;
  const message = `${quote(name)} is not a valid name of ${kind === 'webhook' ? 'a webhook' : 'an automation'}.`;
  const hint = 'Rename it. A name starts with a letter or digit and has at most 100 letters, digits, ".", "_" and "-".';
  report(entry, `${kind}/invalid-name`, message, hint);
  return name;
}

function reportCollisions(entries: readonly TreeEntry[], report: Report): void {
  for (const { entry, name, earlier } of findNameCollisions(entries)) {
    const depth = name.split('/').length;
    // Roots in the wrong case are reported by another rule.
    if (depth === 1) continue;
    const kind = depth > 2 ? 'tree' : name.startsWith('webhooks/') ? 'webhook' : 'automation';
    const message = `The names ${quote(earlier)} and ${quote(name)} differ only in case, or in how letters are composed.`;
    report(
      entry,
      `${kind}/name-collision`,
      message,
      'Rename one of them: some file systems treat the names as the same name.',
    );
  }
}

function reportWrongCase(entry: TreeEntry, known: string, report: Report): void {
  const shown = known === 'factory.yaml' ? known : `${known}/`;
  const message = `${quote(entry.path.split('/')[0])} must be ${shown}, in lower case.`;
  report(entry, 'tree/wrong-case', message, 'Rename it.');
}

function reportExtension(entry: TreeEntry, right: string, report: Report): void {
  const message = `Definition files end in ".yaml", but this file is named ${quote(entry.path.split('/').at(-1))}.`;
  report(entry, 'file/wrong-extension', message, `Rename it to ${right}.`);
}

function reportNotAFile(entry: TreeEntry, report: Report): void {
  const what = entry.kind === 'submodule' ? 'a submodule' : entry.kind === 'symlink' ? 'a symbolic link' : 'a file';
  const message = `${quote(entry.path)} is ${what}, which is never followed. Definitions must be regular files.`;
  report(entry, 'tree/not-a-file', message, 'Commit the file itself.');
}

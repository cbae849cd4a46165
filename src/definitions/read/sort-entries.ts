import { isAgentPath } from '../../domain/definitions/agent-files.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import type { SourceTree, TreeEntry } from '../../domain/definitions/source-tree.ts';
import { toDiagnostic } from '../file-diagnostics.ts';
import { quote } from '../yaml/key-path.ts';
import { FILE_START } from '../yaml/positions.ts';
import {
  checkName,
  type DefinitionFile,
  type FactoryFile,
  type NamedFile,
  type ReportPath,
  reportNotAFile,
  SAMPLES_FOLDER,
  type SampleFile,
} from './definition-file.ts';
import { findNameCollisions } from './find-name-collisions.ts';
import { sortAutomations } from './sort-automations.ts';
import { SampleSorter } from './sort-samples.ts';

/** The entries of a tree by kind, in the order of their paths, and the problems of their paths. */
export interface SortedEntries {
  factory: FactoryFile | null;
  webhooks: NamedFile<'webhook'>[];
  automations: NamedFile<'automation'>[];
  /** As `SampleSorter` collects them. */
  samples: SampleFile[];
  /** Does the tree contain `factory.yaml`, `webhooks/` or `automations/`? */
  isFactory: boolean;
  diagnostics: Diagnostic[];
}

// Notes next to webhooks are not reported.
const NOTE = /^(?:\..*|readme(?:\..*)?|.*\.md)$/i;
const ROOTS = ['factory.yaml', 'webhooks', 'automations'];

/** Determines the kind of each entry of a tree by its path. */
export function sortEntries(tree: SourceTree): SortedEntries {
  const declared = { factory: null, webhooks: [], automations: [], samples: [] };
  const sorted: SortedEntries = { ...declared, isFactory: false, diagnostics: [] };
  const report: ReportPath = (entry, rule, message, hint) => {
    sorted.diagnostics.push(toDiagnostic(tree.prefix + entry.path, { rule, at: FILE_START, path: [], message, hint }));
  };
  const samples = new SampleSorter(sorted.samples, report);
  const misspelt = new Set<string>();
  const definition = tree.entries.filter(({ path }) => !isAgentPath(path));
  const entries = definition.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  for (const entry of entries) sortEntry(entry, { sorted, samples, misspelt, report });
  const isInAutomations = ({ path }: TreeEntry) => path.startsWith('automations/');
  sorted.automations = sortAutomations(entries.filter(isInAutomations), samples, report);
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

interface Walk {
  sorted: SortedEntries;
  samples: SampleSorter;
  /** Roots that were reported; each is reported once. */
  misspelt: Set<string>;
  report: ReportPath;
}

function sortEntry(entry: TreeEntry, walk: Walk): void {
  const { sorted, misspelt, report } = walk;
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
  }
}

function sortWebhookEntry(entry: TreeEntry, below: string[], walk: Walk): void {
  const { sorted, samples, report } = walk;
  const fileName = below.at(-1)!;
  const extension = /\.ya?ml$/i.exec(fileName)?.[0];
  const webhook = below.length > 1 ? SAMPLES_FOLDER.exec(below[0]!)?.[1] : undefined;
  if (entry.kind !== 'file') reportNotAFile(entry, report);
  else if (webhook !== undefined) samples.sort(entry, { kind: 'webhook', name: webhook }, below.slice(1));
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

function reportIgnoredWebhookFile(entry: TreeEntry, fileName: string, report: ReportPath): void {
  if (NOTE.test(fileName)) return;
  const message = `${quote(fileName)} is not a definition and is ignored: webhooks are files that end in .yaml.`;
  report(
    entry,
    'webhook/ignored-file',
    message,
    'Rename the file to end in .yaml, or move it out of webhooks/. Samples belong in webhooks/<name>.samples/.',
  );
}

function reportCollisions(entries: readonly TreeEntry[], report: ReportPath): void {
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

function reportWrongCase(entry: TreeEntry, known: string, report: ReportPath): void {
  const shown = known === 'factory.yaml' ? known : `${known}/`;
  const message = `${quote(entry.path.split('/')[0])} must be ${shown}, in lower case.`;
  report(entry, 'tree/wrong-case', message, 'Rename it.');
}

function reportExtension(entry: TreeEntry, right: string, report: ReportPath): void {
  const message = `Definition files end in ".yaml", but this file is named ${quote(entry.path.split('/').at(-1))}.`;
  report(entry, 'file/wrong-extension', message, `Rename it to ${right}.`);
}

import type { KeyPath } from '../definitions/yaml/key-path.ts';
import type { Option } from './options/option.ts';
import { OPTIONS, type OptionKey } from './options/options.ts';
import { SECTIONS, type Section } from './options/sections.ts';

/** One key of a section: an option, a section, or a list of sections. */
export type OptionNode =
  | { kind: 'option'; key: OptionKey; option: Option }
  | { kind: 'section'; section: OptionSection }
  | { kind: 'sections'; item: OptionSection };

export interface OptionSection {
  /** Key path of the section; `''` for the whole file. */
  key: string;
  title: string;
  description: string;
  isOptional: boolean;
  children: ReadonlyMap<string, OptionNode>;
}

/** The table as a tree, in its order. */
export const OPTION_TREE: OptionSection = buildSection('', {
  title: 'Dockbell configuration',
  description: 'Configuration of the Dockbell daemon.',
});

/** The option at a place of the document, also for the items of its list; `null` if the table has none there. */
export function findOption(path: KeyPath): Option | null {
  let node: OptionNode = { kind: 'section', section: OPTION_TREE };
  for (const step of path) {
    if (node.kind === 'option') return typeof step === 'number' ? node.option : null;
    if (node.kind === 'sections') {
      node = { kind: 'section', section: node.item };
      continue;
    }
    const child: OptionNode | undefined = node.section.children.get(String(step));
    if (child === undefined) return null;
    node = child;
  }
  return node.kind === 'option' ? node.option : null;
}

function buildSection(key: string, { title, description, optional }: Section): OptionSection {
  const prefix = key === '' ? '' : `${key}.`;
  const names = Object.keys(OPTIONS)
    .filter((each) => each.startsWith(prefix))
    .map((each) => each.slice(prefix.length).split('.')[0]!);
  const children = [...new Set(names)].map((name) => [name.replace('[]', ''), buildNode(`${prefix}${name}`)] as const);
  return { key, title, description, isOptional: optional === true, children: new Map(children) };
}

function buildNode(key: string): OptionNode {
  if (isOptionKey(key)) return { kind: 'option', key, option: OPTIONS[key] };
  if (key.endsWith('[]')) return { kind: 'sections', item: buildSection(key, describeSection(key.slice(0, -2))) };
  return { kind: 'section', section: buildSection(key, describeSection(key)) };
}

function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(OPTIONS, key);
}

function describeSection(key: string): Section {
  const sections: Readonly<Record<string, Section>> = SECTIONS;
  return sections[key]!;
}

import { RELOADED_OPTIONS } from '../src/config/live-config.ts';
import { OPTION_TREE, type OptionNode, type OptionSection } from '../src/config/option-tree.ts';
import { describeType as describeValue } from '../src/config/option-type.ts';
import type { Option, OptionType } from '../src/config/options/option.ts';
import { TEXT_FORMATS } from '../src/config/text-formats.ts';

/** The options in docs/reference/configuration.md. */
export function renderOptions(): string {
  return renderSection(OPTION_TREE, '').join('\n');
}

/** First the options of the section, then the sections below it, each with a separate heading. */
function renderSection(section: OptionSection, path: string): string[] {
  const nodes = [...section.children].map(([name, node]) => ({ path: path === '' ? name : `${path}.${name}`, node }));
  const options = nodes.filter(({ node }) => node.kind === 'option');
  const heading = path === '' ? ['### Top level', ''] : [`### \`${path}\``, '', section.description, ''];
  return [
    ...heading,
    ...options.flatMap(({ path: key, node }) => (node.kind === 'option' ? renderOption(key, node.option) : [])),
    ...nodes.flatMap(({ path: key, node }) => renderChild(key, node)),
  ];
}

function renderChild(path: string, node: OptionNode): string[] {
  if (node.kind === 'section') return renderSection(node.section, path);
  return node.kind === 'sections' ? renderSection(node.item, `${path}[]`) : [];
}

function renderOption(key: string, option: Option): string[] {
  const facts = [
    ['Value', describeType(option.type, option.unit)],
    ['Default', describeDefault(option)],
    ['Only with', option.onlyWith === undefined ? null : `type \`${option.onlyWith}\``],
    ['Environment variable', option.env === null ? null : `\`${option.env}\``],
    ['Change', isReloaded(key) ? '`dockbell reload`' : 'restart'],
  ].filter((fact): fact is [string, string] => fact[1] !== null);
  return [`#### \`${key}\``, '', option.description, '', ...facts.map(([name, text]) => `- ${name}: ${text}`), ''];
}

/** Does a change take effect without a restart? */
function isReloaded(key: string): boolean {
  return key.startsWith('factories[]') || RELOADED_OPTIONS.has(key.split('[]')[0]!);
}

function describeDefault({ default: fallback, required }: Option): string | null {
  if (required) return 'none, must be written';
  return fallback === null ? null : `\`${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}\``;
}

function describeType(type: OptionType, unit: string | undefined): string {
  switch (type.kind) {
    case 'text':
      return TEXT_FORMATS[type.format].expected;
    case 'list':
      return `a list, each item ${TEXT_FORMATS[type.format].expected}`;
    case 'path':
      return 'a path, relative to the folder of this file';
    case 'repository':
      return 'a URL or a path';
    case 'command':
      return 'a list of texts';
    case 'boolean':
      return '`true` or `false`';
    case 'integer':
      return `a whole number from ${type.min} to ${type.max}${unit === undefined ? '' : `, in ${unit}`}`;
    case 'duration':
      return `a duration from \`${type.min}\` to \`${type.max}\``;
    case 'toggle':
    case 'threshold':
      return describeValue(type);
    case 'choice':
      return type.values.map((value) => `\`${value}\``).join(', ');
  }
}

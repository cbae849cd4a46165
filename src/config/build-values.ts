import { describeMismatch } from '../definitions/yaml/check-schema.ts';
import { formatKeyPath, type KeyPath } from '../definitions/yaml/key-path.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import type { ConfigDocument, ConfigProblem } from './config-document.ts';
import { OPTION_TREE, type OptionNode, type OptionSection } from './option-tree.ts';
import { convertValue, describeType } from './option-type.ts';
import type { OptionValues } from './option-values.ts';
import type { Option } from './options/option.ts';

/**
 * The values of all options. Adds to `problems` what the JSON Schema cannot say; the values are of use only if there are
 * no problems.
 *
 * @param problems those that the schema found: these values are omitted
 */
export function buildValues(document: ConfigDocument, problems: ConfigProblem[]): OptionValues {
  const values = buildSection({ document, problems }, OPTION_TREE, document.value, []);
  // The shape follows from the same table as the type, key by key, which the compiler cannot follow.
  return values as unknown as OptionValues;
}

interface Context {
  document: ConfigDocument;
  problems: ConfigProblem[];
}

type Section = { [property: string]: unknown };

function buildSection(context: Context, { children }: OptionSection, value: Json | undefined, path: KeyPath): Section {
  const written = isJsonObject(value) ? value : {};
  const type = children.get('type')?.kind === 'option' ? written.type : undefined;
  const section: Section = {};
  for (const [name, node] of children) {
    if (node.kind === 'option' && node.option.onlyWith !== undefined && node.option.onlyWith !== type) continue;
    section[nameProperty(name, node)] = buildNode(context, node, written[name], [...path, name]);
  }
  return section;
}

/** `sessionIdle` is `sessionIdleMs`: names contain the unit. */
function nameProperty(name: string, node: OptionNode): string {
  return node.kind === 'option' && node.option.type.kind === 'duration' ? `${name}Ms` : name;
}

function buildNode(context: Context, node: OptionNode, value: Json | undefined, path: KeyPath): unknown {
  if (node.kind === 'option') return buildOption(context, node.option, value, path);
  if (node.kind === 'sections') {
    const items = Array.isArray(value) ? value : [];
    return items.map((item, index) => buildSection(context, node.item, item, [...path, index]));
  }
  if (node.section.isOptional && !isJsonObject(value)) return null;
  return buildSection(context, node.section, value, path);
}

function buildOption({ document, problems }: Context, option: Option, value: Json | undefined, path: KeyPath): unknown {
  const chosen = value ?? (option.default as Json);
  if (chosen === null) return null;
  const name = formatKeyPath(path);
  if (problems.some((problem) => isAtOrBelow(problem.path, name))) return null;
  const converted = convertValue(option.type, chosen, document.sourceOf(path).folder);
  if (converted !== null) return converted;
  const message = describeMismatch(path, describeType(option.type), document.written(path));
  problems.push({ where: document.where(path), path: name, message });
  return null;
}

function isAtOrBelow(path: string, name: string): boolean {
  return path.startsWith(name) && !/^[^.[]/.test(path.slice(name.length));
}

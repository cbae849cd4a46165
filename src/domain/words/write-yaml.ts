import { stringify } from 'yaml';

/** A JSON value as the YAML of a definition: one line for each value, strings quoted only if necessary. */
export function writeYaml(value: object): string {
  return stringify(value, { schema: 'core', lineWidth: 0, flowCollectionPadding: false });
}

/** The text of an `automation.md`: keys as front matter, then the prompt. Keys with the value `undefined` are omitted. */
export function writeFrontMatterFile(keys: Readonly<Record<string, unknown>>, prompt: string): string {
  const given = Object.entries(keys).filter(([, value]) => value !== undefined);
  return `---\n${writeYaml(Object.fromEntries(given))}---\n${prompt}`;
}

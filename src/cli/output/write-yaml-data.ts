import { stringify } from 'yaml';

/** A JSON value as YAML that readers of YAML 1.1 and 1.2 understand alike, without a newline at the end. */
export function writeYamlData(value: object): string {
  return stringify(value, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}

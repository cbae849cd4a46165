import type { TreeEntry } from '../../domain/definitions/source-tree.ts';
import type { RuleId } from '../../domain/rules.ts';
import { WEBHOOK_NAME_PATTERN } from '../../domain/words/names.ts';
import { quote } from '../yaml/key-path.ts';

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

/** The webhook or the automation to which a folder of samples belongs. */
export interface SampleOwner {
  kind: 'webhook' | 'automation';
  name: string;
}

/** A sample; its folder and its file name identify it. */
export interface SampleFile extends NamedFile<'sample'> {
  owner: SampleOwner;
}

/** A file of a definition. Its path decides its kind and its names. */
export type DefinitionFile = FactoryFile | NamedFile<'webhook'> | NamedFile<'automation'> | SampleFile;

/** Reports a problem of the path of an entry. */
export type ReportPath = (entry: TreeEntry, rule: RuleId, message: string, hint: string) => void;

/** A folder with samples: `ci.samples`. */
export const SAMPLES_FOLDER = /^(.*)\.samples$/;

/** The name of a definition, which is reported if it is not valid. */
export function checkName(kind: 'webhook' | 'automation', entry: TreeEntry, name: string, report: ReportPath): string {
  if (WEBHOOK_NAME_PATTERN.test(name)) return name;
  const message = `${quote(name)} is not a valid name of ${kind === 'webhook' ? 'a webhook' : 'an automation'}.`;
  const hint = 'Rename it. A name starts with a letter or digit and has at most 100 letters, digits, ".", "_" and "-".';
  report(entry, `${kind}/invalid-name`, message, hint);
  return name;
}

export function reportNotAFile(entry: TreeEntry, report: ReportPath): void {
  const what = entry.kind === 'submodule' ? 'a submodule' : entry.kind === 'symlink' ? 'a symbolic link' : 'a file';
  const message = `${quote(entry.path)} is ${what}, which is never followed. Definitions must be regular files.`;
  report(entry, 'tree/not-a-file', message, 'Commit the file itself.');
}

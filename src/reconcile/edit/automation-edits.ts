import {
  type AutomationContent,
  editAutomation,
  writeDeclaredAutomation,
} from '../../definitions/write/write-automation.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';
import { AppError } from '../../domain/errors.ts';
import type { FileChange } from '../../domain/ports/sources.ts';
import type { ComposedEdit, EditedState } from '../edit-factory.ts';
import { findAutomation, findAutomationPath, readText } from './edited-files.ts';
import { requireMatch, tagAutomation, tagRevision } from './entity-tag.ts';

/** A request to write an automation. `mustBeNew`: rejected if an automation with that name exists. */
export interface AutomationWriting {
  name: string;
  automation: AutomationContent;
  mustBeNew: boolean;
  ifMatch: string | null;
}

/** Creates an automation (`isNew`), or replaces its complete definition. */
export function composeAutomation(
  state: EditedState,
  { name, automation, mustBeNew, ifMatch }: AutomationWriting,
): { edit: ComposedEdit; isNew: boolean } {
  const path = findAutomationPath(state.tree, name);
  const present = readText(state.tree, path);
  if (mustBeNew && present !== null) {
    throw new AppError('conflict', `An automation ${name} already exists. Choose another name.`);
  }
  const applied = findAutomation(state, name);
  requireMatch(ifMatch, applied && tagAutomation(applied));
  const text = present === null ? writeDeclaredAutomation(automation) : editAutomation(present, automation);
  const isNew = present === null;
  return { edit: { files: [{ path, text }], message: `${isNew ? 'Create' : 'Change'} the automation ${name}` }, isNew };
}

export function composeAutomationDeletion(state: EditedState, name: string, ifMatch: string | null): ComposedEdit {
  const path = findAutomationPath(state.tree, name);
  const applied = findAutomation(state, name);
  if (applied === null || readText(state.tree, path) === null) {
    throw new AppError('not_found', 'The automation does not exist.');
  }
  requireMatch(ifMatch, tagAutomation(applied));
  return { files: [{ path, text: null }], message: `Delete the automation ${name}` };
}

/** Restores the definition of an earlier revision as a new revision. */
export async function composeRevert(
  state: EditedState,
  revision: string,
  ifMatch: string | null,
): Promise<ComposedEdit> {
  requireMatch(ifMatch, tagRevision(state.applied.revision));
  const earlier = await state.readTree(revision);
  return { files: findDifferences(state.tree, earlier), message: `Revert to ${revision}` };
}

function findDifferences(from: SourceTree, to: SourceTree): FileChange[] {
  const wanted = new Set(to.entries.map(({ path }) => path));
  const deleted = from.entries.filter(({ path }) => !wanted.has(path)).map(({ path }) => ({ path, text: null }));
  const written = to.entries.map(({ path }) => ({ path, text: readText(to, path) }));
  return [...deleted, ...written];
}

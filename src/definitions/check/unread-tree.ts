import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { toDiagnostic } from '../file-diagnostics.ts';
import { FILE_START } from '../yaml/positions.ts';
import type { ValidatedTree } from './check-definition.ts';
import { UNSUPPORTED_NAME } from './check-tree.ts';

/** The result for a tree whose validation was aborted while a file was read. */
export function describeSlowTree(file: string, message: string): ValidatedTree {
  const hint =
    'Split the file, or move documents out of it, and commit the change. To retry the same commit, run "dockbell reconcile".';
  const finding = { rule: 'file/too-slow', at: FILE_START, path: [], message, hint } as const;
  const declared = { webhooks: [], automations: [] };
  return { diagnostics: [toDiagnostic(file, finding)], definition: null, declared, files: [file] };
}

/** The diagnostic for a tree that its source rejected: too large, or with names that cannot be displayed or read. */
export function describeRejectedTree(reason: 'TreeOdd' | 'TreeTooLarge', message: string): Diagnostic {
  const finding =
    reason === 'TreeOdd'
      ? UNSUPPORTED_NAME
      : ({ rule: 'tree/too-large', hint: 'Keep only definitions under webhooks/ and automations/.' } as const);
  return toDiagnostic('', { ...finding, at: FILE_START, path: [], message });
}

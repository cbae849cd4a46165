import { readFiles } from '../../src/definitions/read/read-files.ts';
import type { FactoryContext } from '../../src/reconcile/factory-context.ts';

/** Reads new files in this thread. The daemon uses another one. */
export const validateHere: FactoryContext['validate'] = (tree, context, results) =>
  results.validate(tree, context, async (files, settings) => readFiles(files, settings));

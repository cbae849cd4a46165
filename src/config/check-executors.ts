import { formatKeyPath } from '../definitions/yaml/key-path.ts';
import type { ConfigDocument, ConfigProblem } from './config-document.ts';
import { checkExecutor } from './executors/executors.ts';
import type { OptionValues } from './option-values.ts';

/** Checks the executor of each factory as a whole. */
export function checkExecutors({ factories }: OptionValues, document: ConfigDocument): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [index, { runs }] of factories.entries()) {
    const found = runs.executor === null ? null : checkExecutor(runs.executor);
    if (found === null) continue;
    const path = ['factories', index, 'runs', 'executor', found.key];
    const name = formatKeyPath(path);
    problems.push({ where: document.where(path), path: name, message: `${name} ${found.problem}.` });
  }
  return problems;
}

import { formatKeyPath } from '../definitions/yaml/key-path.ts';
import { checkExecutor } from '../runs/executors/index.ts';
import type { ConfigDocument, ConfigProblem } from './config-document.ts';
import type { OptionValues } from './option-values.ts';

/** Checks the executor of each factory as a whole. */
export async function checkExecutors({ factories }: OptionValues, document: ConfigDocument): Promise<ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  for (const [index, { runs }] of factories.entries()) {
    const found = runs.executor === null ? null : await checkExecutor(runs.executor);
    if (found === null) continue;
    const path = ['factories', index, 'runs', 'executor', found.key];
    const name = formatKeyPath(path);
    problems.push({ where: document.where(path), path: name, message: `${name} ${found.problem}.` });
  }
  return problems;
}

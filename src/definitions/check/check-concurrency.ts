import { isJsonObject } from '../../domain/json.ts';
import type { ProblemCollector } from '../file-diagnostics.ts';
import type { YamlText } from '../yaml/parse-yaml.ts';

/** Finds `cancelRunning` with a mode that cancels no run. */
export function checkConcurrency(yaml: YamlText, diagnostics: ProblemCollector): void {
  const concurrency = isJsonObject(yaml.value) ? yaml.value.concurrency : undefined;
  if (!isJsonObject(concurrency) || concurrency.cancelRunning !== true) return;
  const { mode = 'queue' } = concurrency;
  if (mode !== 'queue' && mode !== 'skip') return;
  const path = ['concurrency', 'cancelRunning'];
  diagnostics.add({
    rule: 'automation/unused-cancel-running',
    at: yaml.locate(path).key,
    path,
    message: `cancelRunning has no effect with the mode ${mode}: only mode latest cancels runs.`,
    hint: 'Set "mode: latest", or remove "cancelRunning".',
  });
}

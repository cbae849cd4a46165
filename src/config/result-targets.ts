import { isLoopbackUrl } from '../domain/words/names.ts';
import type { ConfigDocument, ConfigProblem } from './config-document.ts';
import { DEFAULT_URLS } from './notify-targets.ts';
import type { FactoryValues, OptionValues } from './option-values.ts';

type Target = FactoryValues['runs']['results'][number];
type Key = keyof Target & string;

/** URL of a target: as written, else that of its type; `null` if unknown. */
export function locateResult({ type, url }: Pick<Target, 'type' | 'url'>): string | null {
  const address = url ?? DEFAULT_URLS[type] ?? null;
  return type === 'webhook' ? address : (address?.replace(/\/+$/, '') ?? null);
}

/** Checks each target of results against its type. */
export function checkResultTargets({ factories }: OptionValues, document: ConfigDocument): ConfigProblem[] {
  return factories.flatMap(({ runs }, index) =>
    runs.results.flatMap((target, position) => {
      const path = ['factories', index, 'runs', 'results', position];
      const name = `factories[${index}].runs.results[${position}]`;
      return listProblems(target).map(({ key, problem }) => ({
        where: document.where([...path, target[key] === null ? 'type' : key]),
        path: `${name}.${key}`,
        message: `${name}.${key} ${problem}.`,
      }));
    }),
  );
}

function listProblems(target: Target): { key: Key; problem: string }[] {
  const url = locateResult(target);
  if (url === null) return [{ key: 'url', problem: `is missing: the type ${target.type} has no default` }];
  if (target.type === 'webhook') {
    const unused = (['repository', 'commit', 'number'] as const).filter((key) => target[key] !== null);
    return unused.map((key) => ({ key, problem: 'must be removed: a callback contains the whole run' }));
  }
  const subject = target.post === 'status' ? 'commit' : 'number';
  const missing = (['repository', subject] as const).filter((key) => target[key] === null);
  const needed: { key: Key; problem: string }[] = missing.map((key) => ({
    key,
    problem: `is missing: a ${target.post} at a git host needs it, such as ${EXAMPLES[key]}`,
  }));
  if (new URL(url).protocol === 'http:' && !isLoopbackUrl(url)) {
    needed.push({ key: 'url', problem: 'must use https, because a token is sent to it' });
  }
  return needed;
}

const EXAMPLES = {
  repository: '{{ repository.full_name }}',
  commit: '{{ pull_request.head.sha }}',
  number: '{{ pull_request.number }}',
};

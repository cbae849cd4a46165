import { formatKeyPath, type KeyPath } from '../definitions/yaml/key-path.ts';
import { findConfiguredProblem } from '../platform/address-policy.ts';
import type { ConfigDocument, ConfigProblem } from './config-document.ts';
import { locateTarget } from './notify-targets.ts';
import type { OptionValues } from './option-values.ts';
import { locateResult } from './result-targets.ts';

interface Placed {
  path: KeyPath;
  url: string | null;
  allowPrivateAddresses: boolean;
}

/**
 * The targets to which nothing can ever be posted, because their URL contains an address that their policy does not allow. An
 * executor with such a URL is an error (`checkUrl`): runs could not start. Only for values without problems.
 */
export function findUnusableTargets(values: OptionValues, document: ConfigDocument): ConfigProblem[] {
  return listTargets(values).flatMap(({ path, url, allowPrivateAddresses }) => {
    const problem = url === null ? null : findConfiguredProblem(new URL(url), { allowPrivate: allowPrivateAddresses });
    if (problem === null) return [];
    const key = formatKeyPath([...path, 'url']);
    return [{ where: document.where([...path, 'url']), path: key, message: `${key} ${problem}.` }];
  });
}

function listTargets({ factories, alerts }: OptionValues): Placed[] {
  const ofFactories = factories.flatMap((factory, index) => {
    const { notify, pullRequests, runs } = factory;
    const base = ['factories', index];
    const requests = pullRequests === null ? [] : [{ ...pullRequests, path: [...base, 'pullRequests'] }];
    const statuses = notify.map((target, position) => ({ ...target, path: [...base, 'notify', position] }));
    return [
      ...[...statuses, ...requests].map((target) => ({ ...target, url: locateTarget(target, factory).url })),
      ...runs.results.map((target, position) => ({
        ...target,
        path: [...base, 'runs', 'results', position],
        url: locateResult(target),
      })),
    ];
  });
  return [
    ...ofFactories,
    ...alerts.targets.map((target, position) => ({ ...target, path: ['alerts', 'targets', position] })),
  ];
}

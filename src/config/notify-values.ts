import type { OptionValues } from './option-values.ts';
import type { OptionKey } from './options.ts';
import type { ConfigProblem } from './read-section.ts';

const DEFAULT_URLS: Readonly<Record<string, string>> = {
  github: 'https://api.github.com',
  gitlab: 'https://gitlab.com/api/v4',
};

/** How the base of an API ends, where it always ends so; the usual mistake is to write the address of the web pages. */
const API_ENDINGS: Readonly<Record<string, string>> = { gitlab: '/api/v4', gitea: '/api/v1', forgejo: '/api/v1' };

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Where a target is told: as written, or else as its type and the source of the factory say. `null` for what is open. */
export function locateTarget(
  target: OptionValues,
  factory: OptionValues,
): { url: string | null; repository: string | null } {
  const type = target.get('factories[].notify[].type');
  const address = target.get('factories[].notify[].url') ?? DEFAULT_URLS[type] ?? null;
  if (type === 'webhook') return { url: address, repository: null };
  const url = address?.replace(/\/+$/, '') ?? null;
  const written = target.get('factories[].notify[].repository');
  return { url, repository: written ?? (url === null ? null : deriveRepository(factory, type, url)) };
}

/** The repository that `source.url` names, where it lies on the host of that API. */
function deriveRepository(factory: OptionValues, type: string, apiUrl: string): string | null {
  if (!isRepository(factory)) return null;
  const source = readAddress(factory.get('factories[].source.url'));
  const api = new URL(apiUrl);
  const host = type === 'github' ? api.hostname.replace(/^api\./, '') : api.hostname;
  if (source === null || source.host !== host) return null;
  // A git host may live below a folder of its server: https://example.com/gitlab/api/v4.
  const folder = api.pathname.replace(/\/?(api\/v\d+)?$/, '');
  const path = source.path.startsWith(`${folder}/`) ? source.path.slice(folder.length) : source.path;
  const name = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  return /^[\w.-]+(\/[\w.-]+)+$/.test(name) ? name : null;
}

/** Host and path of `https://host/path`, `ssh://host/path` and `git@host:path`; `null` for a local path. */
function readAddress(url: string): { host: string; path: string } | null {
  if (/^(https?|ssh):\/\//i.test(url)) {
    if (!URL.canParse(url)) return null;
    const { hostname, pathname } = new URL(url);
    return { host: hostname.toLowerCase(), path: pathname };
  }
  const [, host, path] = /^(?:[^@/:]+@)?([^/:@]+):(?!\/\/)(.+)$/.exec(url) ?? [];
  return host === undefined || path === undefined ? null : { host: host.toLowerCase(), path: `/${path}` };
}

/** A target and its place in the file. */
interface Placed {
  target: OptionValues;
  path: string;
}

/** What single values of a target cannot show. */
export function findNotifyProblems(factories: readonly OptionValues[]): ConfigProblem[] {
  return factories.flatMap((factory, index) => {
    const targets = factory
      .itemsOf('factories[].notify[]')
      .map((target, position) => ({ target, path: `factories[${index}].notify[${position}]` }))
      .filter(({ target }) => isReadable(target, factory));
    return [...targets.flatMap((placed) => judgeTarget(placed, factory)), ...findRepeated(targets, factory)];
  });
}

function findRepeated(targets: readonly Placed[], factory: OptionValues): ConfigProblem[] {
  const firstByPlace = new Map<string, string>();
  return targets.flatMap(({ target, path }) => {
    const place = JSON.stringify([locateTarget(target, factory), target.get('factories[].notify[].context')]);
    const first = firstByPlace.get(place);
    if (first === undefined) firstByPlace.set(place, path);
    return first === undefined
      ? []
      : [report(target, 'type', path, `the same is told of each commit by ${first} already`)];
  });
}

/** A key that is missing has been reported already. */
function isReadable(target: OptionValues, factory: OptionValues): boolean {
  if (target.whereOf('factories[].notify[].type') === null) return false;
  return !isRepository(factory) || factory.whereOf('factories[].source.url') !== null;
}

function isRepository(factory: OptionValues): boolean {
  return factory.get('factories[].source.type') === 'repository';
}

function judgeTarget({ target, path }: Placed, factory: OptionValues): ConfigProblem[] {
  const type = target.get('factories[].notify[].type');
  const { url, repository } = locateTarget(target, factory);
  if (type !== 'webhook' && !isRepository(factory)) {
    return [report(target, 'type', path, 'only the commits of a repository are known to a git host; use type webhook')];
  }
  if (url === null) {
    const what =
      type === 'webhook' ? 'where the webhook is posted to' : `the base of the API, ending in ${API_ENDINGS[type]}`;
    return [report(target, 'type', path, `the key "url" is missing: ${what}`)];
  }
  if (type === 'webhook') return judgeWebhook(target, path);
  const problems = judgeApi(target, type, new URL(url), path);
  if (repository === null) {
    const why = 'cannot be told from source.url, which is no repository of that host';
    problems.push(report(target, 'type', path, `the key "repository" is missing: its name ${why}`));
  } else if (type !== 'gitlab' && repository.split('/').length !== 2) {
    problems.push(
      report(target, 'repository', `${path}.repository`, 'expected an owner and a name, such as team/factory'),
    );
  }
  return problems;
}

function judgeWebhook(target: OptionValues, path: string): ConfigProblem[] {
  if (target.whereOf('factories[].notify[].repository') === null) return [];
  return [
    report(target, 'repository', `${path}.repository`, 'a webhook has no repository; the payload names the commit'),
  ];
}

function judgeApi(target: OptionValues, type: string, url: URL, path: string): ConfigProblem[] {
  const ending = API_ENDINGS[type];
  const at = `${path}.url`;
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    return [report(target, 'url', at, 'expected https://, since a token is sent there')];
  }
  if (url.search !== '') return [report(target, 'url', at, 'expected the base of an API, without a query')];
  if (ending === undefined || url.pathname.endsWith(ending)) return [];
  return [report(target, 'url', at, `expected the base of the API of ${type}, which ends in ${ending}`)];
}

function report(
  target: OptionValues,
  key: 'type' | 'url' | 'repository',
  path: string,
  message: string,
): ConfigProblem {
  const where = target.whereOf(`factories[].notify[].${key}` satisfies OptionKey);
  return { where: where ?? target.whereOf('factories[].notify[].type')!, path, message };
}

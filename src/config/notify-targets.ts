import { formatKeyPath, type KeyPath } from '../definitions/yaml/key-path.ts';
import { isLoopbackUrl } from '../domain/words/names.ts';
import type { ConfigDocument, ConfigProblem } from './config-document.ts';
import type { FactoryValues, OptionValues } from './option-values.ts';

type Target = FactoryValues['notify'][number];
type PullRequests = NonNullable<FactoryValues['pullRequests']>;

export const DEFAULT_URLS: Readonly<Record<string, string>> = {
  github: 'https://api.github.com',
  gitlab: 'https://gitlab.com/api/v4',
};

/** How the base URL of an API always ends. The usual mistake is to write the address of the web pages. */
const API_ENDINGS: Readonly<Record<string, string>> = { gitlab: '/api/v4', gitea: '/api/v1', forgejo: '/api/v1' };

/** URL and repository of a target: as written, else derived from its type and the source of the factory. `null` if unknown. */
export function locateTarget(
  target: Pick<Target, 'url' | 'repository'> & { type: string },
  factory: FactoryValues,
): { url: string | null; repository: string | null } {
  const address = target.url ?? DEFAULT_URLS[target.type] ?? null;
  if (target.type === 'webhook') return { url: address, repository: null };
  const url = address?.replace(/\/+$/, '') ?? null;
  const derived = url === null ? null : deriveRepository(factory, target.type, url);
  return { url, repository: target.repository ?? derived };
}

/** The repository that `source.url` names, if it is on the host of that API. */
function deriveRepository({ source }: FactoryValues, type: string, apiUrl: string): string | null {
  if (source.type !== 'repository') return null;
  const address = readAddress(source.url);
  const api = new URL(apiUrl);
  const host = type === 'github' ? api.hostname.replace(/^api\./, '') : api.hostname;
  if (address === null || address.host !== host) return null;
  // A git host may be in a folder of its server: https://example.com/gitlab/api/v4.
  const folder = api.pathname.replace(/\/?(api\/v\d+)?$/, '');
  const path = address.path.startsWith(`${folder}/`) ? address.path.slice(folder.length) : address.path;
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

/** Checks each target against its type and its factory. */
export function checkNotifyTargets({ factories }: OptionValues, document: ConfigDocument): ConfigProblem[] {
  return factories.flatMap((factory, index) => {
    const placed = factory.notify.map((target, position) => {
      return { target, factory, path: ['factories', index, 'notify', position], document };
    });
    return [...placed.flatMap(checkTarget), ...findDuplicates(placed)];
  });
}

/** Checks the section `pullRequests` of each factory: its API as that of a target, and what its source must be. */
export function checkPullRequests({ factories }: OptionValues, document: ConfigDocument): ConfigProblem[] {
  return factories.flatMap((factory, index) => {
    const { pullRequests } = factory;
    if (pullRequests === null) return [];
    const placed: Placed<PullRequests> = {
      target: pullRequests,
      factory,
      path: ['factories', index, 'pullRequests'],
      document,
    };
    if (factory.source.type !== 'repository') {
      const message = `Remove ${nameOf(placed)}: only a factory with the source type repository has pull requests.`;
      return [report(placed, 'type', message)];
    }
    const { url, repository } = locateTarget(pullRequests, factory);
    return [...checkApi(placed, new URL(url!)), ...checkRepository(placed, repository), ...checkContext(placed)];
  });
}

/** With one context, the status of a check and that of the apply of the same commit would replace each other. */
function checkContext(placed: Placed<PullRequests>): ConfigProblem[] {
  const { target, factory } = placed;
  const contexts = factory.notify.map(({ context }) => context ?? `dockbell/${factory.name}`);
  const { context } = target;
  if (context === null || !contexts.includes(context)) return [];
  const message = `${nameOf(placed)}.context must differ from the context "${context}" of notify.`;
  return [report(placed, 'context', message)];
}

/** A target and its place in the document. */
interface Placed<Kind extends Pick<Target, 'url' | 'repository'> & { type: string } = Target> {
  target: Kind;
  factory: FactoryValues;
  path: KeyPath;
  document: ConfigDocument;
}

function nameOf({ path }: Pick<Placed, 'path'>): string {
  return formatKeyPath(path);
}

function findDuplicates(placed: readonly Placed[]): ConfigProblem[] {
  const firsts = new Map<string, string>();
  return placed.flatMap((each) => {
    const place = JSON.stringify([locateTarget(each.target, each.factory), each.target.context]);
    const first = firsts.get(place);
    if (first === undefined) firsts.set(place, nameOf(each));
    return first === undefined
      ? []
      : [report(each, 'type', `${nameOf(each)} is a duplicate target: same as ${first}.`)];
  });
}

function checkTarget(placed: Placed): ConfigProblem[] {
  const { target, factory } = placed;
  const name = nameOf(placed);
  const { url, repository } = locateTarget(target, factory);
  if (target.type !== 'webhook' && factory.source.type !== 'repository') {
    const message = `${name} must have the type webhook: a git host knows only the commits of a repository.`;
    return [report(placed, 'type', message)];
  }
  if (url === null) {
    const what =
      target.type === 'webhook' ? 'the URL to post to' : `the base of the API, ending in ${API_ENDINGS[target.type]}`;
    return [report(placed, 'type', `The required key "url" is missing in ${name}: ${what}.`)];
  }
  if (target.type === 'webhook') return checkWebhook(placed);
  return [...checkFormat(placed), ...checkApi(placed, new URL(url)), ...checkRepository(placed, repository)];
}

function checkRepository(placed: AnyPlaced, repository: string | null): ConfigProblem[] {
  const name = nameOf(placed);
  if (repository === null) {
    const why = 'source.url is not a repository of that host, so the name cannot be derived';
    return [report(placed, 'type', `The required key "repository" is missing in ${name}: ${why}.`)];
  }
  if (placed.target.type === 'gitlab' || repository.split('/').length === 2) return [];
  return [report(placed, 'repository', `${name}.repository must be an owner and a name, such as team/factory.`)];
}

function checkWebhook(placed: Placed): ConfigProblem[] {
  if (placed.target.repository === null) return [];
  const message = `Remove ${nameOf(placed)}.repository: a target of type webhook has no repository; the payload names the commit.`;
  return [report(placed, 'repository', message)];
}

function checkFormat(placed: Placed): ConfigProblem[] {
  if (placed.target.format === 'standard') return [];
  const message = `Remove ${nameOf(placed)}.format: only a target of type webhook has a format.`;
  return [report(placed, 'format', message)];
}

function checkApi(placed: AnyPlaced, url: URL): ConfigProblem[] {
  const { type } = placed.target;
  const name = `${nameOf(placed)}.url`;
  const ending = API_ENDINGS[type];
  if (url.protocol === 'http:' && !isLoopbackUrl(url.href)) {
    return [report(placed, 'url', `${name} must use https, because a token is sent to it.`)];
  }
  if (url.search !== '') return [report(placed, 'url', `${name} must be the base of an API, without a query.`)];
  if (ending === undefined || url.pathname.endsWith(ending)) return [];
  return [report(placed, 'url', `${name} must be the base of the API of ${type}, which ends in ${ending}.`)];
}

type AnyPlaced = Placed | Placed<PullRequests>;

function report(
  placed: AnyPlaced,
  key: 'type' | 'url' | 'repository' | 'format' | 'context',
  message: string,
): ConfigProblem {
  const { path, document } = placed;
  return {
    where: document.where([...path, key]),
    path: key === 'type' ? nameOf(placed) : `${nameOf(placed)}.${key}`,
    message,
  };
}

import type { RepositoryLocation } from './repository-url.ts';

interface WebHost {
  isHost: RegExp;
  /** Path of a commit below the repository. */
  path: string;
}

/** Hosts by name. A company's own server is recognized by the name of its software. */
const WEB_HOSTS: readonly WebHost[] = [
  { isHost: /^(?:github\.com|.*\.ghe\.com|github\..+)$/, path: '/commit/' },
  { isHost: /^(?:gitlab\.com|gitlab\..+)$/, path: '/-/commit/' },
  { isHost: /^bitbucket\.org$/, path: '/commits/' },
  { isHost: /^(?:codeberg\.org|gitea\.com|(?:gitea|forgejo)\..+)$/, path: '/commit/' },
  { isHost: /^(?:dev\.azure\.com|.+\.visualstudio\.com)$/, path: '/commit/' },
];

const SCP_LIKE = /^(?:[^@/:]+@)?([^:/@[\]]+):(?!\/\/)\/?(.+)$/;
const AZURE_SSH = /^\/?v3\/([^/]+)\/([^/]+)\/([^/]+)$/;

/** The page of a commit; `null` if the host of the repository is not known. */
export function findCommitUrl(location: RepositoryLocation, revision: string): string | null {
  if (location.kind === 'local') return null;
  const address = readAddress(location.gitUrl);
  if (address === null) return null;
  const { host, path } = address.host === 'ssh.dev.azure.com' ? toAzureWeb(address) : address;
  const webHost = WEB_HOSTS.find(({ isHost }) => isHost.test(host));
  if (webHost === undefined) return null;
  const repository = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  const url = `https://${host}/${repository}${webHost.path}${revision}`;
  return URL.canParse(url) ? new URL(url).href : null;
}

/** Host in lower case without port, and path. An ssh port is not the port of the web pages. */
function readAddress(gitUrl: string): { host: string; path: string } | null {
  if (URL.canParse(gitUrl) && gitUrl.includes('://')) {
    const { protocol, hostname, host, pathname } = new URL(gitUrl);
    return { host: protocol === 'ssh:' ? hostname.toLowerCase() : host, path: pathname };
  }
  const [, host, path] = SCP_LIKE.exec(gitUrl) ?? [];
  return host === undefined || path === undefined ? null : { host: host.toLowerCase(), path };
}

function toAzureWeb({ host, path }: { host: string; path: string }): { host: string; path: string } {
  const [, organization, project, repository] = AZURE_SSH.exec(path) ?? [];
  return organization === undefined
    ? { host, path }
    : { host: 'dev.azure.com', path: `${organization}/${project}/_git/${repository}` };
}

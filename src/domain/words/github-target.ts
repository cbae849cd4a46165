const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,99})$/;
const REPOSITORY = /^[A-Za-z0-9._-]{1,100}$/;

/** The path of an organization (`ORG`) or a repository (`ORG/REPO`) in the API of GitHub; `null` for any other text. */
export function findGithubPath(target: string): string | null {
  const [owner = '', repository, ...more] = target.split('/');
  if (!OWNER.test(owner) || more.length > 0) return null;
  if (repository === undefined) return `/orgs/${owner}`;
  return REPOSITORY.test(repository) && !/^\.+$/.test(repository) ? `/repos/${owner}/${repository}` : null;
}

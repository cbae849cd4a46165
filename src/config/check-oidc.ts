import { formatKeyPath, type KeyPath } from '../definitions/yaml/key-path.ts';
import { isProtectedUrl } from '../domain/words/names.ts';
import type { ConfigDocument, ConfigProblem } from './config-document.ts';
import type { OptionValues } from './option-values.ts';

const OIDC = ['admin', 'oidc'];

/** Checks what single values of the sign-in at an OpenID provider cannot show. */
export function checkOidc({ admin: { oidc }, factories }: OptionValues, document: ConfigDocument): ConfigProblem[] {
  if (oidc === null) return [];
  const { search } = new URL(oidc.issuer);
  const report = (path: KeyPath, message: string) => ({
    where: document.where(path),
    path: formatKeyPath(path),
    message,
  });
  const problems: ConfigProblem[] = [];
  if (!isProtectedUrl(oidc.issuer)) {
    const message = 'admin.oidc.issuer must use https: plain HTTP can be modified in transit.';
    problems.push(report([...OIDC, 'issuer'], message));
  }
  if (search !== '') problems.push(report([...OIDC, 'issuer'], 'admin.oidc.issuer must not have a query.'));
  if (oidc.clientSecret !== null && oidc.clientSecretFile !== null) {
    const message = 'admin.oidc.clientSecret and admin.oidc.clientSecretFile are both set. Remove one of them.';
    problems.push(report([...OIDC, 'clientSecretFile'], message));
  }
  if (oidc.groups.length === 0 && oidc.defaultRole === null) {
    const message = 'Nobody can sign in: list a group in admin.oidc.groups, or set admin.oidc.defaultRole.';
    problems.push({ where: document.where([...OIDC, 'issuer']), path: 'admin.oidc.groups', message });
  }
  const known = new Set(factories.map(({ name }) => name));
  const names = oidc.groups.map(({ name }) => name);
  oidc.groups.forEach((group, index) => {
    const path = [...OIDC, 'groups', index];
    const first = names.indexOf(group.name);
    if (first !== index) {
      const message = `${formatKeyPath(path)}.name is a duplicate: same group as admin.oidc.groups[${first}].`;
      problems.push(report([...path, 'name'], message));
    }
    for (const message of describeFactories(group.factories, `${formatKeyPath(path)}.factories`, known)) {
      problems.push(report([...path, 'factories'], message));
    }
  });
  return problems;
}

function describeFactories(names: readonly string[] | null, path: string, known: ReadonlySet<string>): string[] {
  if (names === null) return [];
  if (names.length === 0) return [`${path} is an empty list. List a factory, or remove the key to allow all.`];
  return names.filter((name) => !known.has(name)).map((name) => `${path} names no factory of this file: "${name}".`);
}

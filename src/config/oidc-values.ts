import type { OptionValues } from './option-values.ts';
import type { OptionKey } from './options.ts';
import { OPTIONS } from './options.ts';
import type { ConfigProblem } from './read-section.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** What single values of the sign-in at an OpenID provider cannot show. */
export function findOidcProblems(values: OptionValues): ConfigProblem[] {
  if (values.whereOf('admin.oidc.issuer') === null) return findOrphan(values);
  const { protocol, hostname, search } = new URL(values.get('admin.oidc.issuer'));
  const isSafe = protocol === 'https:' || LOOPBACK.test(hostname);
  const hasTwoSecrets =
    isWritten(values, 'admin.oidc.clientSecret') && isWritten(values, 'admin.oidc.clientSecretFile');
  const mapsNobody = values.itemsOf('admin.oidc.groups[]').length === 0 && !isWritten(values, 'admin.oidc.defaultRole');
  const problems: [isFound: boolean, key: OptionKey | 'admin.oidc.groups', message: string][] = [
    [!isSafe, 'admin.oidc.issuer', 'must be an https URL: what is told over http anybody on the way can change'],
    [search !== '', 'admin.oidc.issuer', 'an issuer has no query'],
    [hasTwoSecrets, 'admin.oidc.clientSecretFile', 'there is a clientSecret too; write one of them'],
    [mapsNobody, 'admin.oidc.groups', 'nobody could sign in: name a group here, or set defaultRole'],
  ];
  return [
    ...problems.filter(([isFound]) => isFound).map(([, key, message]) => report(values, key, message)),
    ...findWrongGroups(values),
  ];
}

function isWritten(values: OptionValues, key: OptionKey): boolean {
  return values.whereOf(key) !== null;
}

/** Groups that are named twice, and factories that are not there: both are slips that would give other rights. */
function findWrongGroups(values: OptionValues): ConfigProblem[] {
  const groups = values.itemsOf('admin.oidc.groups[]');
  const isNamed = (item: OptionValues, key: OptionKey) => item.whereOf(key) !== null;
  const names = groups.map((group) =>
    isNamed(group, 'admin.oidc.groups[].name') ? group.get('admin.oidc.groups[].name') : null,
  );
  const known = values
    .itemsOf('factories[]')
    .flatMap((factory) => (isNamed(factory, 'factories[].name') ? [factory.get('factories[].name')] : []));
  return groups.flatMap((group, index) => {
    const path = `admin.oidc.groups[${index}]`;
    const first = names.indexOf(names[index]!);
    const twice = `the group is named by admin.oidc.groups[${first}] already`;
    return [
      ...(names[index] === null || first === index
        ? []
        : [{ where: group.whereOf('admin.oidc.groups[].name')!, path: `${path}.name`, message: twice }]),
      ...findUnknownFactories(group, `${path}.factories`, known),
    ];
  });
}

function findUnknownFactories(group: OptionValues, path: string, known: readonly string[]): ConfigProblem[] {
  const factories = group.get('admin.oidc.groups[].factories');
  const where = group.whereOf('admin.oidc.groups[].factories');
  if (factories === null || where === null) return [];
  if (factories.length === 0) return [{ where, path, message: 'name a factory, or leave the key out for all' }];
  return factories
    .filter((name) => !known.includes(name))
    .map((name) => ({ where, path, message: `there is no factory "${name}" in this file` }));
}

/** A variable can bring the secret although the file has no such section. */
function findOrphan(values: OptionValues): ConfigProblem[] {
  const keys = ['admin.oidc.clientSecret', 'admin.oidc.clientSecretFile'] as const;
  const variable = keys.map((key) => OPTIONS[key].env).find((env) => keys.some((key) => values.whereOf(key) === env));
  if (variable === undefined) return [];
  return [{ where: variable, path: 'admin.oidc.issuer', message: 'is missing: the secret belongs to no provider' }];
}

function report(values: OptionValues, key: OptionKey | 'admin.oidc.groups', message: string): ConfigProblem {
  const written = key === 'admin.oidc.groups' ? null : values.whereOf(key);
  return { where: written ?? values.whereOf('admin.oidc.issuer')!, path: key, message };
}

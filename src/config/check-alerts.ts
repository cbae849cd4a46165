import { formatKeyPath } from '../definitions/yaml/key-path.ts';
import { ALERT_RULE_NAMES } from '../domain/messages/alert-rules.ts';
import type { ConfigDocument, ConfigProblem } from './config-document.ts';
import type { OptionValues } from './option-values.ts';

type Target = OptionValues['alerts']['targets'][number];

const MAX_TARGETS = 20;
const MAX_RECIPIENTS = 50;

/** Checks what single values of the targets of alerts cannot show. */
export function checkAlerts({ alerts, factories }: OptionValues, document: ConfigDocument): ConfigProblem[] {
  const known = new Set(factories.map(({ name }) => name));
  const names = alerts.targets.map(({ name }) => name);
  const report = (index: number, key: string, message: string): ConfigProblem => {
    const path = ['alerts', 'targets', index, key];
    return { where: document.where(path), path: formatKeyPath(path), message };
  };
  const problems = alerts.targets.flatMap((target, index) => {
    const place = `alerts.targets[${index}]`;
    const found = [...checkAddress(target, place), ...checkSecrets(target, place), ...checkRoute(target, place, known)];
    const first = names.indexOf(target.name);
    if (first !== index) {
      found.push(['name', `${place}.name is a duplicate: same name as alerts.targets[${first}].`]);
    }
    return found.map(([key, message]) => report(index, key, message));
  });
  if (alerts.targets.length <= MAX_TARGETS) return problems;
  return [...problems, report(MAX_TARGETS, 'name', `alerts.targets has more than ${MAX_TARGETS} targets.`)];
}

type Problem = [key: string, message: string];

function checkAddress(target: Target, place: string): Problem[] {
  const { type, url, urlSecretName, allowPrivateAddresses } = target;
  if (type === 'email') {
    if (url !== null) return [['url', `Remove ${place}.url: a target of type email has host and port.`]];
    if (urlSecretName !== null)
      return [['urlSecretName', `Remove ${place}.urlSecretName: a target of type email has host and port.`]];
    if (target.to.length === 0) return [['to', `${place}.to is an empty list. List a mail address.`]];
    if (target.to.length > MAX_RECIPIENTS)
      return [['to', `${place}.to has more than ${MAX_RECIPIENTS} mail addresses. Use a mailing list.`]];
    return [];
  }
  if (url !== null && urlSecretName !== null)
    return [['urlSecretName', `${place}.url and ${place}.urlSecretName are both set. Remove one of them.`]];
  if (url === null && urlSecretName === null)
    return [['type', `The URL of ${place} is missing: set url, or urlSecretName with the name of a team secret.`]];
  if (url !== null && new URL(url).protocol === 'http:' && !allowPrivateAddresses) {
    const message = `${place}.url must use https: plain HTTP can be modified in transit. For a receiver with a private address, set allowPrivateAddresses to true.`;
    return [['url', message]];
  }
  return [];
}

function checkSecrets(target: Target, place: string): Problem[] {
  const { type, secretName } = target;
  if (type === 'webhook' && secretName === null)
    return [['type', `The required key "secretName" is missing in ${place}: the team secret that signs the messages.`]];
  if (type === 'slack' && secretName !== null)
    return [['secretName', `Remove ${place}.secretName: Slack takes no signature. Its URL is the credential.`]];
  if (type !== 'email') return [];
  if ((target.username === null) !== (secretName === null))
    return [[secretName === null ? 'username' : 'secretName', `${place} needs both username and secretName, or none.`]];
  if (target.security === 'none' && secretName !== null)
    return [['security', `${place}.security must be starttls or tls, because a password is sent.`]];
  return [];
}

function checkRoute({ rules, factories }: Target, place: string, known: ReadonlySet<string>): Problem[] {
  const emptyOf = (key: 'rules' | 'factories', list: readonly string[] | null): Problem[] =>
    list?.length === 0 ? [[key, `${place}.${key} is an empty list. List a name, or remove the key to get all.`]] : [];
  const unknown = (factories ?? []).filter((name) => !known.has(name));
  const wrong = (rules ?? []).filter((name) => !(ALERT_RULE_NAMES as string[]).includes(name));
  return [
    ...emptyOf('rules', rules),
    ...emptyOf('factories', factories),
    ...wrong.map(
      (name): Problem => ['rules', `${place}.rules names no rule: "${name}". Rules: ${ALERT_RULE_NAMES.join(', ')}.`],
    ),
    ...unknown.map((name): Problem => ['factories', `${place}.factories names no factory of this file: "${name}".`]),
  ];
}

// The room of `dockbell.yaml`. In: the file, environment variables, flags. Out: a frozen `Config` (`config.ts`), or all errors
// with line and column.
// Next: `options/options.ts`, the table from which types, schema and reference follow; `build-values.ts` for how it is read;
// `executors/executors.ts` for the settings of executors; `live-config.ts` for what a reload changes.

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { checkSchema, describeMismatch, type SchemaProblem } from '../definitions/yaml/check-schema.ts';
import { decodeText } from '../definitions/yaml/decode-text.ts';
import { formatKeyPath, type KeyPath } from '../definitions/yaml/key-path.ts';
import { parseYaml } from '../definitions/yaml/parse-yaml.ts';
import { findValidator } from '../definitions/yaml/validators/config.ts';
import { AppError, messageOf } from '../domain/errors.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { Environment } from '../domain/runs/reserved-variables.ts';
import { escapeText } from '../domain/words/escape-text.ts';
import { countOf } from '../domain/words/quantities.ts';
import { buildValues } from './build-values.ts';
import { checkAlerts } from './check-alerts.ts';
import { checkExecutors } from './check-executors.ts';
import { checkOidc } from './check-oidc.ts';
import { checkStorage } from './check-storage.ts';
import { type Config, completeConfig } from './config.ts';
import { ConfigDocument, type ConfigFile, type ConfigProblem } from './config-document.ts';
import { checkNotifyTargets, checkPullRequests } from './notify-targets.ts';
import { convertValue, describeType } from './option-type.ts';
import type { OptionValues } from './option-values.ts';
import { OPTIONS } from './options/options.ts';
import { checkResultTargets } from './result-targets.ts';
import { substituteEnvironment } from './substitute-environment.ts';
import { findUnusableTargets } from './unusable-targets.ts';

export interface ConfigRequest {
  /** Path of `dockbell.yaml`; `null` for none. */
  file: string | null;
  /** The variables of the process: for `${NAME}`, and for those that set an option. */
  env: Environment;
  /** Keys as in the file that win over everything, for example from the command line. References are not replaced. */
  overrides?: JsonObject;
  /** What relative paths outside a file start from. */
  workingDir?: string;
}

/**
 * Reads the configuration: overrides, then environment variables, then the file, then defaults. The whole is validated
 * with `schemas/config.schema.json`. Throws `config_invalid` with everything that is wrong, one line each; `details` has
 * the same as `ConfigProblem[]`.
 */
export async function loadConfig({ file, env, overrides = {}, workingDir }: ConfigRequest): Promise<Config> {
  const folder = resolve(workingDir ?? '.');
  const path = file === null ? null : resolve(folder, file);
  const written = file === null || path === null ? null : parseConfigFile(file, path, await readText(path));
  const document = new ConfigDocument(written, env, folder);
  document.override(overrides, folder);
  const problems = [...document.problems, ...validateDocument(document)];
  const values = buildValues(document, problems);
  if (problems.length === 0) problems.push(...(await checkValues(values, document)));
  if (problems.length > 0) throw invalid(problems);
  return completeConfig(values, path, findUnusableTargets(values, document));
}

/**
 * The data directory that a configuration file names, for clients of the daemon that runs with it; `null` if there is no
 * such file or it names none. Other options are not read: what is wrong with them concerns the daemon. Throws
 * `config_invalid` if the file is not YAML or the value is wrong.
 */
export async function readDataDir(path: string, env: Environment): Promise<string | null> {
  const text = await readExisting(path);
  if (text === null) return null;
  const { folder, name, yaml } = parseConfigFile(path, path, text);
  const written = (yaml.value as { dataDir?: Json } | null)?.dataDir ?? null;
  if (written === null) return null;
  const { line, column } = yaml.locate(['dataDir']).value;
  const fail = (message: string) => invalid([{ where: `${name}:${line}:${column}`, path: 'dataDir', message }]);
  const result = typeof written === 'string' ? substituteEnvironment(written, env) : null;
  if (result?.ok === false) throw fail(`dataDir: ${result.message}.`);
  const { type } = OPTIONS.dataDir;
  const value = result === null || !isPath(result.text) ? null : convertValue(type, result.text, folder);
  if (value === null) throw fail(describeMismatch(['dataDir'], describeType(type), written));
  return value as string;
}

/**
 * The storage that a configuration file and the environment name, for commands that work while the daemon is stopped. Other
 * options are not read. Throws `config_invalid` if the file is not YAML or a value of the section is wrong.
 *
 * @param path of a file that may be missing; `null` for none
 * @param type of the storage, regardless of what the configuration says
 */
export async function readStorage(
  path: string | null,
  env: Environment,
  type: Config['storage']['type'] | null = null,
): Promise<Config['storage']> {
  const text = path === null ? null : await readExisting(path);
  const file = path === null || text === null ? null : parseConfigFile(path, path, text);
  const document = new ConfigDocument(file === null ? null : keepStorage(file), env, '.');
  if (type !== null) document.override({ storage: { type } }, '.');
  const problems = [...document.problems, ...validateDocument(document)];
  const values = buildValues(document, problems);
  problems.push(...checkStorage(values, document));
  const found = problems.filter((problem) => problem.path.startsWith('storage'));
  if (found.length > 0) throw invalid(found);
  return values.storage;
}

/** The file with one section: references in the others may need variables that only the daemon has. */
function keepStorage({ yaml, ...file }: ConfigFile): ConfigFile {
  const storage = (yaml.value as { storage?: Json } | null)?.storage;
  return { ...file, yaml: { ...yaml, value: storage === undefined ? {} : { storage } } };
}

function isPath(text: string): boolean {
  return text !== '' && !text.startsWith('~') && !text.includes('\0');
}

/** `null` if the file does not exist. */
async function readExisting(path: string): Promise<string | null> {
  return readText(path).catch((error: unknown) => {
    if (error instanceof AppError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return null;
    throw error;
  });
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    const message = `The configuration file ${path} cannot be read: ${describeReadError(error)}.`;
    throw new AppError('config_invalid', message, { cause: error });
  });
  const decoded = decodeText(bytes);
  if (decoded.ok) return decoded.text;
  const { line, column } = decoded.at;
  const message = 'The file is not valid UTF-8. Save the file as UTF-8.';
  throw invalid([{ where: `${path}:${line}:${column}`, path: '', message }]);
}

function describeReadError(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'the file does not exist';
  if (code === 'EISDIR') return 'it is a directory';
  return code === 'EACCES' ? 'permission denied' : messageOf(error);
}

function parseConfigFile(name: string, path: string, text: string): ConfigFile {
  const parsed = parseYaml(text);
  if (parsed.ok) return { name, folder: dirname(path), yaml: parsed.yaml };
  const problems = parsed.problems.map((describe) => {
    const { at, message, hint } = describe();
    return { where: `${name}:${at.line}:${at.column}`, path: '', message: `${message} ${hint}`.trimEnd() };
  });
  throw invalid(problems);
}

function validateDocument(document: ConfigDocument): ConfigProblem[] {
  const subject = { root: 'The file', written: (path: KeyPath) => document.written(path) };
  const problems = checkSchema(findValidator(), document.value, subject).map((describe) => describe());
  // Which other keys a section has depends on its type.
  const types = problems
    .filter(({ path, on }) => on === 'value' && path.at(-1) === 'type')
    .map(({ path }) => formatKeyPath(path));
  const known = new Set(document.problems.map(({ path }) => path));
  return problems
    .filter(
      ({ path }) =>
        !known.has(formatKeyPath(path)) &&
        (path.at(-1) === 'type' || !types.includes(formatKeyPath([...path.slice(0, -1), 'type']))),
    )
    .map((problem) => toConfigProblem(problem, document));
}

function toConfigProblem({ path, on, message, hint }: SchemaProblem, document: ConfigDocument): ConfigProblem {
  return { where: document.where(path, on), path: formatKeyPath(path), message: `${message} ${hint}`.trimEnd() };
}

/** What single values cannot show. */
async function checkValues(values: OptionValues, document: ConfigDocument): Promise<ConfigProblem[]> {
  return [
    ...findDuplicateNames(values, document),
    ...checkStorage(values, document),
    ...checkNotifyTargets(values, document),
    ...checkPullRequests(values, document),
    ...checkResultTargets(values, document),
    ...checkExecutors(values, document),
    ...checkOidc(values, document),
    ...checkAlerts(values, document),
    ...checkRetention(values, document),
    ...checkPorts(values, document),
  ];
}

function findDuplicateNames({ factories }: OptionValues, document: ConfigDocument): ConfigProblem[] {
  const names = factories.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (first === index) return [];
    const path = formatKeyPath(['factories', index, 'name']);
    const message = `${path} is a duplicate: the name "${name}" belongs to factories[${first}]. Use another name.`;
    return [{ where: document.where(['factories', index, 'name']), path, message }];
  });
}

/** The default of `retention.identities` follows `retention.deliveries`; a written value must fit. */
function checkRetention({ retention }: OptionValues, document: ConfigDocument): ConfigProblem[] {
  const path = ['retention', 'identities'];
  if (!document.has(path) || retention.identitiesMs >= retention.deliveriesMs) return [];
  const message =
    'retention.identities must be at least as long as retention.deliveries. Otherwise a repetition of a logged delivery starts runs again.';
  return [{ where: document.where(path), path: 'retention.identities', message }];
}

function checkPorts({ ingress, admin }: OptionValues, document: ConfigDocument): ConfigProblem[] {
  if (admin.port === 0 || admin.port !== ingress.port || admin.host !== ingress.host) return [];
  const path = document.has(['admin', 'port']) ? ['admin', 'port'] : ['ingress', 'port'];
  const message = `admin.port and ingress.port are both ${admin.port} on ${admin.host}. Use different ports.`;
  return [{ where: document.where(path), path: formatKeyPath(path), message }];
}

/** A file can have one in each line. */
const MAX_LISTED = 100;

function invalid(found: readonly ConfigProblem[]): AppError {
  const problems = found.toSorted(comparePlaces).slice(0, MAX_LISTED);
  const lines = problems.map(({ where, message }) => escapeText(`${where}: ${lowerFirst(message)}`));
  const heading =
    found.length === 1 ? 'The configuration is invalid:' : `The configuration has ${found.length} errors:`;
  const others = found.length - problems.length;
  const rest = others === 0 ? [] : [`${countOf(others, 'more error')} not listed.`];
  return new AppError('config_invalid', [heading, ...lines, ...rest].join('\n'), { details: problems });
}

/** In the order of the file; then what is not in a file. */
function comparePlaces(one: ConfigProblem, other: ConfigProblem): number {
  const isInFile = ({ where }: ConfigProblem) => /:\d+:\d+$/.test(where);
  if (isInFile(one) !== isInFile(other)) return isInFile(one) ? -1 : 1;
  return isInFile(one) ? one.where.localeCompare(other.where, 'en', { numeric: true }) : 0;
}

/** Messages are sentences; on a line they follow a place. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}

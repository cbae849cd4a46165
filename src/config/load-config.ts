import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Document, LineCounter, parseDocument } from 'yaml';
import { AppError, messageOf } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { escapeText } from '../words/escape-text.ts';
import { assembleConfig } from './assemble-config.ts';
import type { Config } from './config.ts';
import { findNotifyProblems } from './notify-values.ts';
import { findOidcProblems } from './oidc-values.ts';
import type { WrittenValues } from './option-values.ts';
import { OptionValues } from './option-values.ts';
import type { Option, OptionKey } from './options.ts';
import { buildOptionTree, OPTIONS } from './options.ts';
import { parseValue, readFromText } from './parse-value.ts';
import type { ConfigProblem } from './read-section.ts';
import { readDocument } from './read-section.ts';
import type { Environment } from './substitute-environment.ts';

export interface ConfigRequest {
  /** Path of `dockbell.yaml`; `null` for none. */
  file: string | null;
  /** The variables of the process: for `${NAME}`, and for those that set an option. */
  env: Environment;
  /** Keys as in the file that win over everything, for example from the command line. Not substituted into. */
  overrides?: JsonObject;
  /** What relative paths outside a file start from. */
  workingDir?: string;
}

/**
 * Reads the configuration: overrides, then environment variables, then the file, then defaults. Throws
 * `config_invalid` with everything that is wrong, one line each; `details` has the same as `ConfigProblem[]`.
 */
export async function loadConfig({ file, env, overrides, workingDir }: ConfigRequest): Promise<Config> {
  const folder = resolve(workingDir ?? '.');
  const problems: ConfigProblem[] = [];
  const path = file === null ? null : resolve(folder, file);
  const written =
    file === null || path === null
      ? new OptionValues(new Map(), folder)
      : readText({ name: file, folder: dirname(path), env, problems }, await readConfigFile(path));
  const forced = readOverrides(overrides ?? {}, folder, problems);
  const values = forced.over(readVariables(env, folder, problems).over(written));
  problems.push(...findConflicts(values));
  if (problems.length > 0) throw invalid(problems);
  return assembleConfig(values, path);
}

/**
 * The data directory that a configuration file names, for clients of the daemon that runs with it; `null` if there is no
 * such file or it names none. Other options are not read: what is wrong with them concerns the daemon. Throws
 * `config_invalid` if the file is not YAML or the value is wrong.
 */
export async function readDataDir(file: string, env: Environment): Promise<string | null> {
  const text = await readConfigFile(file).catch((error: unknown) => {
    if (error instanceof AppError && (error.cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const problems: ConfigProblem[] = [];
  const values = readText({ name: file, folder: dirname(file), env, problems }, text);
  const relevant = problems.filter(({ path }) => path === '' || path === 'dataDir');
  if (relevant.length > 0) throw invalid(relevant);
  return values.whereOf('dataDir') === null ? null : values.get('dataDir');
}

interface TextContext {
  /** The file as it was named, for findings. */
  name: string;
  folder: string;
  env: Environment;
  problems: ConfigProblem[];
}

async function readConfigFile(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    const why = error instanceof TypeError ? 'it is not valid UTF-8' : describeReadError(error);
    throw new AppError('config_invalid', `The configuration file ${path} cannot be read: ${why}.`, { cause: error });
  }
}

function describeReadError(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  return code === 'EACCES' ? 'its permissions do not allow it' : messageOf(error);
}

function readText({ name, folder, env, problems }: TextContext, text: string): OptionValues {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const locate = (offset: number | null) => {
    const { line, col } = offset === null ? { line: 1, col: 1 } : lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const found: ConfigProblem[] = [...document.errors, ...document.warnings].map(({ code, pos, message }) => {
    const plain = code === 'MULTIPLE_DOCS' ? 'expected one YAML document, found several' : message;
    return { where: locate(pos[0]), path: '', message: plain };
  });
  const values =
    found.length === 0
      ? readDocument({ document, env, folder, locate, problems: found }, buildOptionTree())
      : new OptionValues(new Map(), folder);
  problems.push(...found.sort((a, b) => a.where.localeCompare(b.where, 'en', { numeric: true })));
  return values;
}

/** Values from code are taken as they are: a `${` in them is not a reference. */
function readOverrides(overrides: JsonObject, folder: string, problems: ConfigProblem[]): OptionValues {
  const document = new Document(escapeReferences(overrides), { aliasDuplicateObjects: false });
  return readDocument({ document, env: {}, folder, locate: () => 'overrides', problems }, buildOptionTree());
}

function escapeReferences(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', (reference) => `$${reference}`);
  if (Array.isArray(value)) return value.map(escapeReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, escapeReferences(child)]));
}

function readVariables(env: Environment, folder: string, problems: ConfigProblem[]): OptionValues {
  const written: WrittenValues = new Map();
  for (const [key, option] of Object.entries(OPTIONS) as [OptionKey, Option][]) {
    const text = option.env === null ? undefined : env[option.env];
    if (option.env === null || text === undefined) continue;
    const parsed = parseValue(option.type, readFromText(option.type, text), folder);
    if (parsed.ok) written.set(key, { value: parsed.value, where: option.env });
    else problems.push({ where: option.env, path: key, message: `expected ${parsed.expected}` });
  }
  return new OptionValues(written, folder);
}

/** What single values cannot show. */
function findConflicts(values: OptionValues): ConfigProblem[] {
  const factories = values.itemsOf('factories[]');
  return [
    ...findEqualNames(factories),
    ...findNotifyProblems(factories),
    ...findOidcProblems(values),
    ...findShortMemory(values),
    ...findSharedPort(values),
  ];
}

function findEqualNames(factories: readonly OptionValues[]): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const indexByName = new Map<string, number>();
  factories.forEach((factory, index) => {
    const where = factory.whereOf('factories[].name');
    if (where === null) return;
    const name = factory.get('factories[].name');
    const first = indexByName.get(name);
    if (first === undefined) indexByName.set(name, index);
    else {
      const message = `the name "${name}" is taken by factories[${first}]; each factory needs its own`;
      problems.push({ where, path: `factories[${index}].name`, message });
    }
  });
  return problems;
}

function findShortMemory(values: OptionValues): ConfigProblem[] {
  const where = values.whereOf('retention.identities');
  if (where === null || values.get('retention.identities') >= values.get('retention.deliveries')) return [];
  const message = 'must be at least as long as retention.deliveries, or repeats of logged deliveries would start runs';
  return [{ where, path: 'retention.identities', message }];
}

function findSharedPort(values: OptionValues): ConfigProblem[] {
  const port = values.get('admin.port');
  const isShared = port !== 0 && port === values.get('ingress.port');
  if (!isShared || values.get('admin.host') !== values.get('ingress.host')) return [];
  const key = values.whereOf('admin.port') === null ? 'ingress.port' : 'admin.port';
  const message = `both listeners would use port ${port} of ${values.get('admin.host')}; give them different ports`;
  return [{ where: values.whereOf(key) ?? key, path: key, message }];
}

function invalid(problems: ConfigProblem[]): AppError {
  const lines = problems.map(({ where, path, message }) => {
    return escapeText(path === '' ? `${where}: ${message}` : `${where}: ${path}: ${message}`);
  });
  const heading =
    problems.length === 1 ? 'The configuration is invalid:' : `The configuration has ${problems.length} errors:`;
  return new AppError('config_invalid', [heading, ...lines].join('\n'), { details: problems });
}

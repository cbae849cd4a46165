import { formatKeyPath, type KeyPath } from '../definitions/yaml/key-path.ts';
import type { YamlText } from '../definitions/yaml/parse-yaml.ts';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts';
import type { Environment } from '../domain/runs/reserved-variables.ts';
import { findOption } from './option-tree.ts';
import { readFromText } from './option-type.ts';
import type { Option } from './options/option.ts';
import { OPTIONS } from './options/options.ts';
import { substituteEnvironment } from './substitute-environment.ts';

/** One thing that is wrong with the configuration. */
export interface ConfigProblem {
  /** `file:line:column`, the name of a variable, or another source of the value. */
  where: string;
  /** Key path, for example `factories[0].source.url`; `''` for the whole file. */
  path: string;
  /** Sentences that name the path. */
  message: string;
}

/** Where values come from. */
interface Source {
  /** What relative paths start from. */
  folder: string;
  where(path: KeyPath, on: 'key' | 'value'): string;
  /** The value as people may see it; `undefined` if it must not be shown. */
  written(path: KeyPath): Json | undefined;
}

export interface ConfigFile {
  /** The file as the user named it, for messages. */
  name: string;
  /** What relative paths in the file start from. */
  folder: string;
  yaml: YamlText;
}

/**
 * The configuration as one document: the file, with references to environment variables replaced; over it the variables
 * that set an option; over these the overrides. Remembers the source of each value.
 */
export class ConfigDocument {
  /** What was wrong with references to environment variables. */
  readonly problems: ConfigProblem[] = [];
  value: Json;
  readonly #file: Source;
  readonly #sources = new Map<string, Source>();

  constructor(file: ConfigFile | null, env: Environment, workingDir: string) {
    this.#file = file === null ? fromNothing(workingDir) : fromFile(file);
    this.value = file === null ? {} : (this.#substitute(file.yaml.value, [], env) ?? {});
    if (isJsonObject(this.value)) this.#setVariables(this.value, env, workingDir);
  }

  /** Puts values over all others; keys as in the file. */
  override(values: JsonObject, workingDir: string): void {
    if (!isJsonObject(this.value)) return;
    const written = (path: KeyPath) => getAt(values, path);
    this.#merge(this.value, values, [], { folder: workingDir, where: () => 'overrides', written });
  }

  /** Is there a value at `path`? Otherwise its default counts. */
  has(path: KeyPath): boolean {
    return (getAt(this.value, path) ?? null) !== null;
  }

  /** The source of the value at `path`, or of the value around it. */
  sourceOf(path: KeyPath): Source {
    for (let length = path.length; length > 0; length--) {
      const source = this.#sources.get(JSON.stringify(path.slice(0, length)));
      if (source !== undefined) return source;
    }
    return this.#file;
  }

  where(path: KeyPath, on: 'key' | 'value' = 'value'): string {
    return this.sourceOf(path).where(path, on);
  }

  /** The value as people may see it; `undefined` if it may hold a secret. */
  written(path: KeyPath): Json | undefined {
    return findOption(path)?.secret ? undefined : this.sourceOf(path).written(path);
  }

  /** Copies a value with its references replaced. A text that is one is read as the type of its option wants it. */
  #substitute(value: Json, path: KeyPath, env: Environment): Json {
    if (Array.isArray(value)) return value.map((item, index) => this.#substitute(item, [...path, index], env));
    if (isJsonObject(value)) {
      const entries = Object.entries(value).map(([key, child]) => [key, this.#substitute(child, [...path, key], env)]);
      return Object.fromEntries(entries) as JsonObject;
    }
    if (typeof value !== 'string') return value;
    const result = substituteEnvironment(value, env);
    // The items of a list are texts; only the value of an option as a whole is read as its type.
    const option = typeof path.at(-1) === 'number' ? null : findOption(path);
    if (result.ok)
      return result.isSubstituted && option !== null ? readFromText(option.type, result.text) : result.text;
    const name = formatKeyPath(path);
    this.problems.push({ where: this.where(path), path: name, message: `${name}: ${result.message}.` });
    return value;
  }

  #setVariables(document: JsonObject, env: Environment, folder: string): void {
    for (const [key, option] of Object.entries(OPTIONS) as [string, Option][]) {
      const text = option.env === null ? undefined : env[option.env];
      if (option.env === null || text === undefined) continue;
      const path = key.split('.');
      const variable = option.env;
      const source = { folder, where: () => variable, written: () => undefined };
      if (key.startsWith(OIDC) && !isJsonObject(getAt(document, ['admin', 'oidc']) ?? null)) {
        const message = 'admin.oidc.issuer is missing: no provider is configured that this secret is for.';
        this.problems.push({ where: variable, path: 'admin.oidc.issuer', message });
      } else this.#merge(document, nest(path, readFromText(option.type, text)), [], source);
    }
  }

  #merge(into: JsonObject, values: JsonObject, path: KeyPath, source: Source): void {
    for (const [key, value] of Object.entries(values)) {
      const at = [...path, key];
      const current = Object.hasOwn(into, key) ? (into[key] ?? {}) : {};
      if (isJsonObject(value) && isJsonObject(current)) {
        into[key] = current;
        this.#merge(current, value, at, source);
      } else {
        into[key] = value;
        this.#sources.set(JSON.stringify(at), source);
      }
    }
  }
}

const OIDC = 'admin.oidc.';

function fromNothing(folder: string): Source {
  return { folder, where: () => 'configuration', written: () => undefined };
}

function fromFile({ name, folder, yaml }: ConfigFile): Source {
  return {
    folder,
    where: (path, on) => {
      const { line, column } = yaml.locate(path)[on];
      return `${name}:${line}:${column}`;
    },
    written: (path) => getAt(yaml.value, path),
  };
}

/** The value at `path`; `undefined` if there is none. */
function getAt(value: Json, path: KeyPath): Json | undefined {
  let found: Json | undefined = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as { [step: string | number]: Json })[step];
  }
  return found;
}

function nest(path: readonly string[], value: Json): JsonObject {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value) as JsonObject;
}

import type { Config, FactoryConfig } from './config.ts';
import { ALERT_OPTION_NAMES } from './options/alert-options.ts';
import { OPTIONS } from './options/options.ts';
import { SECTIONS, type Section } from './options/sections.ts';

/** The options that a reload changes. The others, outside of `factories`, need a restart. */
export const RELOADED_OPTIONS: ReadonlySet<string> = new Set([
  'limits.deliveriesPerMinute',
  'limits.providerDeliveriesPerMinute',
  'limits.failedAuthPerMinute',
  'limits.bodyBytes',
  'limits.loopGuardRuns',
  'limits.loopGuardWindow',
  'limits.webhooksPerFactory',
  'retention.deliveries',
  'retention.minDeliveries',
  'retention.identities',
  'retention.runs',
  'retention.runBytes',
  'retention.audit',
  'retention.secretVersions',
  'log.level',
  'backup.every',
  'backup.keep',
  'backup.dir',
  ...ALERT_OPTION_NAMES,
  'drain',
  'shutdownGrace',
]);

/** What a reload would change. */
export interface ConfigChange {
  /** The configuration afterwards: changed in what needs no restart. */
  config: Config;
  /** Factories that the configuration has for the first time, no longer has, or has with other keys. */
  factories: { added: FactoryConfig[]; changed: FactoryConfig[]; removed: string[] };
  /** Names of the other options that take effect, in the order of the reference. */
  applied: string[];
  /** Names of the options that take effect at the next start. */
  needRestart: string[];
}

/** The configuration in effect. */
export interface LiveConfig {
  /** Each property has the value of this moment, so it must be read when it is used. */
  readonly config: Config;
  replace(config: Config): void;
}

export function createLiveConfig(initial: Config): LiveConfig {
  let current = initial;
  const properties = Object.keys(initial).map((name) => {
    const key = name as keyof Config;
    return [key, { enumerable: true, get: () => current[key] }] as const;
  });
  return {
    config: Object.defineProperties({}, Object.fromEntries(properties)) as Config,
    replace: (config) => {
      current = config;
    },
  };
}

/** Compares the configuration in effect with one that was read. */
export function planReload(current: Config, next: Config): ConfigChange {
  const changed = listOptions().filter((option) => !isEqual(read(current, option.path), read(next, option.path)));
  const [applied, needRestart] = [true, false].map((isReloaded) =>
    changed.filter(({ name }) => RELOADED_OPTIONS.has(name) === isReloaded),
  ) as [ReloadOption[], ReloadOption[]];
  return {
    config: Object.freeze({
      ...applied.map(findCopied).reduce((config, path) => write(config, path, read(next, path)), current),
      factories: next.factories,
      warnings: next.warnings,
    }),
    factories: compareFactories(current.factories, next.factories),
    applied: applied.map(({ name }) => name),
    needRestart: needRestart.map(({ name }) => name),
  };
}

function compareFactories(before: Config['factories'], after: Config['factories']): ConfigChange['factories'] {
  const known = new Map(before.map((factory) => [factory.name, factory]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.filter(({ name }) => !known.has(name)),
    changed: after.filter((factory) => known.has(factory.name) && !isEqual(known.get(factory.name), factory)),
    removed: before.flatMap(({ name }) => (names.has(name) ? [] : [name])),
  };
}

interface ReloadOption {
  /** As in the reference. */
  name: string;
  /** Where `Config` has it. */
  path: readonly string[];
}

/** Its optional section, which only one of the configurations may have, else the option itself. */
function findCopied({ name, path }: ReloadOption): readonly string[] {
  const sections: Readonly<Record<string, Section>> = SECTIONS;
  return sections[name.split('.').slice(0, -1).join('.')]?.optional ? path.slice(0, -1) : path;
}

/** All options outside of lists. A list of sections is one option. */
function listOptions(): ReloadOption[] {
  const options = Object.entries(OPTIONS).flatMap(([key, { type }]) => {
    const [list] = key.split('[]');
    if (list === 'factories') return [];
    const name = list!;
    const isDuration = list === key && type.kind === 'duration';
    return [{ name, path: `${name}${isDuration ? 'Ms' : ''}`.split('.') }];
  });
  return [...new Map(options.map((option) => [option.name, option])).values()];
}

function read(config: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], config);
}

function write<T>(section: T, [key, ...rest]: readonly string[], value: unknown): T {
  const below = (section as Record<string, unknown>)[key!];
  return { ...section, [key!]: rest.length === 0 ? value : write(below, rest, value) };
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

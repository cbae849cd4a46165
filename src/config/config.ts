import { join } from 'node:path';
import { parseDuration } from '../domain/words/quantities.ts';
import type { ConfigProblem } from './config-document.ts';
import { locateTarget } from './notify-targets.ts';
import type { FactoryValues, OptionValues } from './option-values.ts';
import { OPTIONS } from './options/options.ts';
import { locateResult } from './result-targets.ts';

// What the table of options cannot say: values that depend on other values. All else of `Config` follows from the table.

type NotifyValues = FactoryValues['notify'][number];
type PullRequestValues = NonNullable<FactoryValues['pullRequests']>;
type OidcValues = NonNullable<OptionValues['admin']['oidc']>;

/** A target for the result of each commit. */
interface NotifyConfig extends Omit<NotifyValues, 'url' | 'context'> {
  /** Base of the API, or address of the webhook. May contain a credential: must not be shown. */
  readonly url: string;
  readonly context: string;
}

/** How the pull requests of a factory are checked. */
export interface PullRequestConfig extends Omit<PullRequestValues, 'url' | 'repository' | 'context'> {
  /** Base of the API. */
  readonly url: string;
  readonly repository: string;
  readonly context: string;
}

export interface FactoryConfig extends Omit<FactoryValues, 'notify' | 'pullRequests' | 'runs'> {
  readonly notify: readonly NotifyConfig[];
  /** `null` if they are not checked. */
  readonly pullRequests: PullRequestConfig | null;
  readonly runs: Omit<FactoryValues['runs'], 'results'> & {
    readonly results: readonly ResultConfig[];
    /** Maximum duration of one attempt, also without an executor: workers may claim the runs. */
    readonly timeoutMs: number;
    /** A worker that sent no heartbeat for this long has lost its run. */
    readonly leaseMs: number;
  };
}

type ResultValues = FactoryValues['runs']['results'][number];

/** A target of the results of runs. */
interface ResultConfig extends Omit<ResultValues, 'url' | 'context'> {
  readonly url: string;
  readonly context: string;
}

/** Sign-in at an OpenID provider. */
export interface OidcConfig extends Omit<OidcValues, 'label'> {
  readonly label: string;
}

/** Scheduled backups. */
interface BackupConfig extends Omit<NonNullable<OptionValues['backup']>, 'dir'> {
  readonly dir: string;
}

/** The whole configuration: defaults filled in, durations in milliseconds, paths absolute, frozen. */
export interface Config extends Omit<OptionValues, 'runsDir' | 'masterKeyFile' | 'admin' | 'backup' | 'factories'> {
  /** Absolute path of the file it was read from; `null` without a file. */
  readonly file: string | null;
  readonly runsDir: string;
  readonly masterKeyFile: string;
  readonly admin: Omit<OptionValues['admin'], 'oidc'> & {
    /** `null` without an OpenID provider. */
    readonly oidc: OidcConfig | null;
  };
  /** `null` without scheduled backups. */
  readonly backup: BackupConfig | null;
  readonly factories: readonly FactoryConfig[];
  /** Parts that never work, although the daemon can run with them. */
  readonly warnings: readonly ConfigProblem[];
}

/** Adds what is computed to values that were checked. */
export function completeConfig(values: OptionValues, file: string | null, warnings: readonly ConfigProblem[]): Config {
  const { dataDir, retention, admin, backup } = values;
  return deepFreeze({
    ...values,
    file,
    warnings,
    runsDir: values.runsDir ?? join(dataDir, 'runs'),
    masterKeyFile: values.masterKeyFile ?? join(dataDir, 'master.key'),
    admin: { ...admin, oidc: admin.oidc === null ? null : completeOidc(admin.oidc) },
    backup: backup === null ? null : { ...backup, dir: backup.dir ?? join(dataDir, 'backups') },
    // Identities are kept at least as long as the log (decisions, "Identity").
    retention: { ...retention, identitiesMs: Math.max(retention.identitiesMs, retention.deliveriesMs) },
    factories: values.factories.map(completeFactory),
  });
}

function completeOidc(oidc: OidcValues): OidcConfig {
  const scopes = [...new Set(['openid', ...oidc.scopes])];
  return { ...oidc, label: oidc.label ?? new URL(oidc.issuer).host, scopes };
}

function completeFactory(factory: FactoryValues): FactoryConfig {
  const { executor } = factory.runs;
  const timeoutMs = executor?.timeoutMs ?? defaultMs('factories[].runs.executor.timeout');
  const leaseMs = executor?.type === 'queue' ? executor.leaseMs : defaultMs('factories[].runs.executor.lease');
  return {
    ...factory,
    notify: factory.notify.map((target) => completeTarget(target, factory)),
    pullRequests: factory.pullRequests === null ? null : completePullRequests(factory.pullRequests, factory),
    runs: {
      ...factory.runs,
      timeoutMs,
      leaseMs,
      results: factory.runs.results.map((result) => completeResult(result, factory)),
    },
  };
}

/** Only for targets without problems (`checkResultTargets`). */
function completeResult(result: ResultValues, factory: FactoryValues): ResultConfig {
  return { ...result, url: locateResult(result)!, context: result.context ?? `dockbell/${factory.name}` };
}

/** Only for targets without problems (`checkNotifyTargets`). */
function completeTarget(target: NotifyValues, factory: FactoryValues): NotifyConfig {
  const { url, repository } = locateTarget(target, factory);
  return { ...target, url: url!, repository, context: target.context ?? `dockbell/${factory.name}` };
}

/** Only for sections without problems (`checkPullRequests`). */
function completePullRequests(section: PullRequestValues, factory: FactoryValues): PullRequestConfig {
  const { url, repository } = locateTarget(section, factory);
  const context = section.context ?? `dockbell/${factory.name}/plan`;
  return { ...section, url: url!, repository: repository!, context };
}

function defaultMs(key: 'factories[].runs.executor.timeout' | 'factories[].runs.executor.lease'): number {
  return parseDuration(OPTIONS[key].default)!;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

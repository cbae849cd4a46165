import { Option } from 'commander';
import type { Condition, Factory, Reconciliation, Replica } from '../../client/api-types.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { waitsForFirstSecret } from '../../domain/applies/reconciliation.ts';
import { expiresSoon } from '../../domain/words/credentials.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { formatSize } from '../../domain/words/quantities.ts';
import { resolveLocalRevision } from '../../reconcile/source/directory-source.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { type WaitOutcome, waitForRevision } from '../follow/wait-for-revision.ts';
import type { WatchOptions } from '../follow/watch-list.ts';
import { durationOption } from '../input/value-options.ts';
import { describeHealth } from '../output/describe-health.ts';
import { describeCommit, describeDiagnostic, isFailure, shortenRevision } from '../output/describe-reconciliation.ts';
import { FACTORY_COLUMNS, rateFactory } from '../output/factory-columns.ts';
import { formatInstantWithAge, formatSpan } from '../output/format-time.ts';
import { printAnswer, printObject, printRows } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';

interface StatusOptions extends WatchOptions {
  wait?: string;
  timeout: number;
}

const DEFAULT_TIMEOUT_MS = 120_000;
// Attempts without changes may follow the attempt that has findings.
const ATTEMPTS_READ = 20;
const MAX_COUNTED_ALERTS = 200;

/** `dockbell status`: applied and attempted revision, and conditions. */
export function declareStatus(command: CliCommand, bind: Bind): void {
  command
    .addOption(
      new Option(
        '--wait <rev>',
        'wait until this commit is live or has failed: at least 7 hexadecimal digits, or a name that git resolves in this folder',
      ).conflicts(['quiet', 'fields']),
    )
    .addOption(durationOption('--timeout <duration>', 'time limit for --wait').default(DEFAULT_TIMEOUT_MS, '2m'))
    .withWatch(['wait'])
    .withResult(RESULT_KINDS.factory)
    .explain({
      negative: 'a factory has a problem (with --wait: the commit failed, or the time limit was reached)',
      examples: [
        ['dockbell status', 'all factories of the daemon'],
        ['git push && dockbell status --wait HEAD', 'in a pipeline, continue when the commit is live'],
        ['dockbell status --factory payments --json', 'for scripts'],
        ['dockbell status --watch', 'for a screen on the wall'],
      ],
    })
    .action(bind(statusOrWatch));
}

/** The commit for hexadecimal digits, or for a name in the repository of this folder. */
async function findRevision(session: CommandSession, text: string): Promise<string> {
  if (/^[0-9a-f]{7,64}$/i.test(text)) return text.toLowerCase();
  const resolved = await resolveLocalRevision(session.context.cwd, text);
  if (resolved.ok) return resolved.revision;
  throw new CliError(resolved.message, {
    code: 'not_found',
    hint: 'Use 7 to 64 hexadecimal digits, or a name that git resolves in this folder.',
  });
}

async function statusOrWatch(session: CommandSession, options: StatusOptions): Promise<number> {
  if (!options.watch) return status(session, options);
  const { watchList } = await import('../follow/watch-list.ts');
  return watchList(session, options, { factory: session.globals.factory ?? null, print: status });
}

async function status(session: CommandSession, options: StatusOptions): Promise<number> {
  if (options.wait !== undefined) {
    return waitAndReport(session, { ...options, wait: await findRevision(session, options.wait) });
  }
  const api = await session.api();
  const named = session.globals.factory;
  const answer =
    named === undefined
      ? await readAnswer(api.GET('/api/v1/factories'))
      : await readAnswer(api.GET('/api/v1/factories/{factory}', { params: { path: { factory: named } } }));
  const factories = 'data' in answer ? answer.data : [answer];
  const kind = RESULT_KINDS.factory;
  const print = () => printStatus(session, factories);
  const isList = 'data' in answer || options.changes !== undefined;
  const page = 'data' in answer ? answer : { data: factories, next_cursor: null };
  if (isList) await printRows(session, options, { kind, page, print, columns: FACTORY_COLUMNS });
  else await printObject(session, options, { kind, value: factories[0]!, print });
  return factories.every(isHealthy) ? EXIT_CODES.done : EXIT_CODES.negative;
}

async function printStatus(session: CommandSession, factories: readonly Factory[]): Promise<void> {
  const { url, profile } = await session.connection();
  session.output.fields([['Daemon', profile === undefined ? url : `${url} (profile ${profile.name})`]]);
  session.output.line();
  await printFactories(session, factories);
  await printAlerts(session);
  if (session.globals.factory === undefined) {
    await printReplicas(session);
    await printBackups(session);
  }
  await noteExpiringTokens(session);
}

/** Prints nothing while no alert is active. */
async function printAlerts(session: CommandSession): Promise<void> {
  const api = await session.api();
  const query = { state: 'active', factory: session.globals.factory, limit: MAX_COUNTED_ALERTS } as const;
  const { data } = await readAnswer(api.GET('/api/v1/alerts', { params: { query } }));
  if (data.length === 0) return;
  const [lasting, ended] = [
    data.filter(({ clear_since: at }) => at === null),
    data.filter(({ clear_since: at }) => at !== null),
  ];
  const open = lasting.filter(({ state }) => state === 'open').length;
  const count = data.length === MAX_COUNTED_ALERTS ? `${lasting.length} or more` : String(lasting.length);
  const active = lasting.length === 0 ? [] : [`${count} active, ${open} of them not acknowledged`];
  // An alert is resolved some time after its cause, so that a cause that returns does not open another one.
  const resolving = ended.length === 0 ? [] : [`${ended.length} resolving, because the cause ended`];
  session.output.line();
  session.output.fields([['Alerts', `${[...active, ...resolving].join('; ')}; see 'dockbell alert list'`]]);
}

/** Owners see all tokens. The token of the command is reported by every command. */
async function noteExpiringTokens(session: CommandSession): Promise<void> {
  const api = await session.api();
  const { data } = await readAnswer(api.GET('/api/v1/tokens')).catch(() => ({ data: [] }));
  const expiring = data.flatMap(({ name, expires_at: at }) => {
    const expiresAt = at === null ? null : Date.parse(at);
    return expiresSoon({ expiresAt }, session.nowMs)
      ? [`${escapeText(name)} in ${formatSpan(expiresAt! - session.nowMs)}`]
      : [];
  });
  if (expiring.length > 0) session.output.note(`API tokens expire soon: ${expiring.join(', ')}.`);
}

async function waitAndReport(session: CommandSession, options: StatusOptions & { wait: string }): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const request = { factory, revision: options.wait, timeoutMs: options.timeout };
  const result = await waitForRevision(api, session.context, request);
  const value = await readAnswer(api.GET('/api/v1/factories/{factory}', { params: { path: { factory } } }));
  await printAnswer(session, options, { value, print: () => printOutcome(session, result, options) });
  const isLive = result.outcome === 'live' || result.outcome === 'contained' || result.outcome === 'replaced';
  return isLive ? EXIT_CODES.done : EXIT_CODES.negative;
}

async function printOutcome(
  session: CommandSession,
  result: WaitOutcome,
  options: { wait: string; timeout: number },
): Promise<void> {
  const { output } = session;
  const revision = shortenRevision(options.wait);
  if (result.outcome === 'live') output.line(`${revision} is live.`);
  else if (result.outcome === 'contained') {
    output.line(`${revision} is live as part of ${shortenRevision(result.by)}, which contains it.`);
  } else if (result.outcome === 'replaced') {
    output.line(`${revision} was applied, and ${shortenRevision(result.by)} has replaced it.`);
  } else if (result.outcome === 'failed') await printFound(session, result.reconciliation);
  else {
    output.note(
      `${revision} is neither live nor failed after ${formatSpan(options.timeout)}. Check that it is pushed to the production branch.`,
    );
    if (result.last !== null) await printFound(session, result.last);
  }
}

/** The code that prints changes as YAML is large, and most commands print no reconciliation. */
async function printFound({ output }: CommandSession, reconciliation: Reconciliation): Promise<void> {
  const { printReconciliation } = await import('../output/print-reconciliation.ts');
  printReconciliation(output, reconciliation);
}

async function printFactories(session: CommandSession, factories: readonly Factory[]): Promise<void> {
  if (factories.length === 0)
    session.output.line("The daemon serves no factory. Add one under 'factories' of dockbell.yaml.");
  for (const [i, factory] of factories.entries()) {
    if (i > 0) session.output.line();
    await printFactory(session, factory);
  }
}

/** Prints nothing without scheduled backups, and for tokens that are limited to some factories. */
/** Prints nothing for a daemon that is alone. Tokens that are limited to factories cannot list replicas. */
async function printReplicas(session: CommandSession): Promise<void> {
  const { output } = session;
  const api = await session.api();
  const { data } = await readAnswer(api.GET('/api/v1/replicas')).catch((error: unknown) => {
    if (error instanceof RequestFailed && error.problem.status === 403) return { data: [] };
    throw error;
  });
  if (data.length < 2) return;
  output.line();
  output.line(output.colors.bold('Replicas'));
  output.fields(data.map((replica) => [`  ${escapeText(replica.name)}`, describeReplica(replica)]));
}

function describeReplica({ role, alive, seen_seconds_ago: ago, version, behind }: Replica): string {
  if (!alive) return `${role}, no sign of life for ${formatSpan(ago * 1000)}`;
  const state = behind.length === 0 ? 'serves everything' : `does not serve yet: ${behind.map(escapeText).join(', ')}`;
  return `${role}, ${state}, version ${version}`;
}

async function printBackups(session: CommandSession): Promise<void> {
  const { output, nowMs } = session;
  const api = await session.api();
  const status = await readAnswer(api.GET('/api/v1/backup')).catch((error: unknown) => {
    if (error instanceof RequestFailed && error.problem.status === 403) return null;
    throw error;
  });
  const schedule = status?.schedule ?? null;
  if (schedule === null) return;
  const { last_success: last, last_failure: failure, next_at: nextAt } = schedule;
  output.line();
  output.fields([
    ['Backups', schedule.dir],
    [
      '  Last',
      last === null ? 'none stored yet' : `${formatInstantWithAge(last.at, nowMs)}, ${formatSize(last.bytes)}`,
    ],
    ['  Failed', failure === null ? null : `${formatInstantWithAge(failure.at, nowMs)}: ${failure.problem}`],
    ['  Next', nextAt],
  ]);
}

async function printFactory(session: CommandSession, factory: Factory): Promise<void> {
  const { output, nowMs } = session;
  output.line(`${markFactory(session, factory)} ${output.colors.bold(escapeText(factory.name))}`);
  output.fields([
    ['  Source', describeSource(factory)],
    ['  Applied', describeRevision(factory.applied_revision, factory.applied_at, nowMs)],
    ['  Commit', describeCommit(factory.applied_commit)],
    ['  Attempted', describeRevision(factory.attempted_revision, factory.attempted_at, nowMs)],
    ['  Contains', describeCounts(factory.counts)],
  ]);
  for (const condition of factory.conditions) output.line(`  ${describeCondition(session, condition)}`);
  printHealth(session, factory);
  await printLastFindings(session, factory);
}

/** Prints whether senders get through, which automations fail, and how long runs wait. */
function printHealth({ output, nowMs }: CommandSession, factory: Factory): void {
  for (const [title, lines] of describeHealth(factory, nowMs)) {
    if (lines.length === 0) continue;
    output.line(`  ${title}:`);
    output.fields(lines.map(([name, text]) => [`    ${name}`, text]));
  }
}

/**
 * Prints findings with file and line: those of the failed attempt, or the warnings of the live commit (for example, a
 * weak secret or an unknown UID).
 */
async function printLastFindings(session: CommandSession, factory: Factory): Promise<void> {
  const api = await session.api();
  const { data } = await readAnswer(
    api.GET('/api/v1/factories/{factory}/reconciliations', {
      params: { path: { factory: factory.name }, query: { limit: ATTEMPTS_READ } },
    }),
  );
  // Other conditions, such as that of a locked database, have other causes.
  const hasFailed = factory.conditions.some(({ type, status }) => type === 'Reconciled' && status === 'False');
  const last = data.find((attempt) =>
    hasFailed ? isFailure(attempt) : attempt.result === 'applied' && attempt.revision === factory.applied_revision,
  );
  if (waitsForFirstSecret(factory.conditions)) {
    for (const { message, hint } of last?.diagnostics ?? []) printTask(session, message, hint);
    return;
  }
  // A condition says which secrets of runs are missing now.
  const findings = last?.diagnostics.filter(({ rule }) => rule !== 'automation/missing-run-secret') ?? [];
  for (const diagnostic of findings) {
    session.output.line(`  ${describeDiagnostic(diagnostic, session.output.colors)}`);
  }
}

/** A step of the first start, with its command. */
function printTask({ output }: CommandSession, message: string, hint: string): void {
  output.line(`  ${output.colors.yellow('To do')}: ${escapeText(message)}`);
  output.line(`    ${escapeText(hint)}`);
}

function describeSource({ source }: Factory): string | null {
  if (source === null) return 'no longer in the configuration';
  if (source.url === null) return source.type;
  const path = source.path === null || source.path === '.' || source.path === '' ? '' : `, folder ${source.path}`;
  return `${source.url} (${source.type}, branch ${source.branch ?? '-'}${path})`;
}

function describeRevision(revision: string | null, at: string | null, nowMs: number): string {
  if (revision === null) return at === null ? 'nothing yet' : `no commit, attempted ${formatInstantWithAge(at, nowMs)}`;
  return `${shortenRevision(revision)}, ${formatInstantWithAge(at, nowMs)}`;
}

function describeCounts(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${(count === 1 ? name.replace(/s$/, '') : name).replaceAll('_', ' ')}`)
    .join(', ');
}

function markFactory({ output }: CommandSession, factory: Factory): string {
  const { colors } = output;
  if (waitsForFirstSecret(factory.conditions)) return colors.yellow('!');
  return { ok: colors.green('✓'), warning: colors.yellow('!'), error: colors.red('✗') }[rateFactory(factory).severity];
}

function describeCondition(session: CommandSession, condition: Condition): string {
  const { colors } = session.output;
  const paint = { ok: colors.green, warning: colors.yellow, error: colors.red }[condition.severity];
  const since = colors.dim(`(for ${formatSpan(session.nowMs - Date.parse(condition.since))})`);
  const head = paint(`${escapeText(condition.type)}=${escapeText(condition.status)}`);
  return `${head} ${escapeText(condition.reason)}: ${escapeText(condition.message)} ${since}`;
}

/** Was the last attempt applied, and can runs start? */
function isHealthy(factory: Factory): boolean {
  return rateFactory(factory).severity !== 'error';
}

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readAnswer } from '../../client/read-answer.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { DoctorReport, Finding } from '../../domain/ports/operations.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { countOf } from '../../domain/words/quantities.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CONFIG_FILE, findDataDir } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { findConfigFile } from '../find-config-file.ts';
import { requireKnownStorage } from '../find-stopped-daemon.ts';
import { startProgress } from '../output/progress.ts';

interface DoctorOptions {
  config?: string;
  json?: boolean;
}

/** `dockbell doctor`. */
export function declareDoctor(command: CliCommand, bind: Bind): void {
  command
    .option('--config <file>', `configuration to examine if no daemon runs (default: ${CONFIG_FILE}, if it exists)`)
    .withJson('the findings')
    .explain({
      negative: 'a finding has the severity error',
      more: 'A running daemon examines itself: the command needs a token of role owner. If no daemon runs, the command examines the\nconfiguration and the data directory. The request to the public URL is sent only by a running daemon.',
      examples: [
        ['dockbell doctor', 'after an installation or an upgrade'],
        ['dockbell doctor --config /etc/dockbell/dockbell.yaml', 'before the first start'],
        ['dockbell doctor --json', 'for scripts'],
      ],
    })
    .action(bind(doctor));
}

async function doctor(session: CommandSession, options: DoctorOptions): Promise<number> {
  const named = await readNamedDataDir(session, options);
  if (named === null) return examineAndReport(session, options);
  const located = session.withDataDir(named);
  return examineAndReport(located, options).finally(() => located.close());
}

/** The data directory of `--config`, where its daemon is found; `null` if another option says where it is. */
async function readNamedDataDir(
  { context, globals }: CommandSession,
  { config }: DoctorOptions,
): Promise<string | null> {
  if (config === undefined || globals.dataDir !== undefined || globals.url !== undefined) return null;
  const { readDataDir } = await import('../../config/load-config.ts');
  return readDataDir(resolve(context.cwd, config), context.env);
}

async function examineAndReport(session: CommandSession, options: DoctorOptions): Promise<number> {
  const progress = startProgress(session.context, 'Examining');
  const isOnline = await session.hasDaemon().catch(stopAndThrow(progress));
  const report = await (isOnline ? examineOnline(session) : examineOffline(session, options)).finally(() =>
    progress.stop(),
  );
  if (options.json) session.output.json({ running: isOnline, ...report });
  else printReport(session, report, isOnline);
  return report.findings.some(({ severity }) => severity === 'error') ? EXIT_CODES.negative : EXIT_CODES.done;
}

function stopAndThrow(progress: { stop(): void }): (error: unknown) => never {
  return (error) => {
    progress.stop();
    throw error;
  };
}

async function examineOnline(session: CommandSession): Promise<DoctorReport> {
  return readAnswer((await session.api()).GET('/api/v1/doctor'));
}

async function examineOffline({ context, globals }: CommandSession, options: DoctorOptions): Promise<DoctorReport> {
  const { cwd, env } = context;
  // Imported here, so that the other commands start without the libraries of the daemon.
  const [{ examineStopped }, { loadConfig }] = await Promise.all([
    import('../../operations/doctor/examine.ts'),
    import('../../config/load-config.ts'),
  ]);
  const named = findConfigFile(options.config, cwd);
  const file = existsSync(named) ? named : null;
  const overrides: JsonObject = {};
  if (file === null || globals.dataDir !== undefined) overrides.dataDir = await findDataDir(globals, context);
  const config = await loadConfig({ file, env, overrides, workingDir: cwd });
  await requireKnownStorage(config.dataDir, config.storage, env);
  return examineStopped(config, env, context.clock.wallMs());
}

function printReport({ output }: CommandSession, { checks, findings }: DoctorReport, isOnline: boolean): void {
  const { colors } = output;
  for (const check of checks) {
    const found = findings.filter((finding) => finding.check === check);
    if (found.length === 0) output.line(`${colors.green('✓')} ${escapeText(check)}`);
    for (const finding of found) printFinding(output, finding);
  }
  output.line();
  output.line(summarise(findings, isOnline));
}

function printFinding({ colors, line }: CommandSession['output'], { severity, check, message, hint }: Finding): void {
  const mark = severity === 'error' ? colors.red('✗') : colors.yellow('!');
  line(`${mark} ${escapeText(check)}: ${escapeText(message)}`);
  line(`    ${escapeText(hint)}`);
}

function summarise(findings: readonly Finding[], isOnline: boolean): string {
  const place = isOnline ? '' : ' No daemon runs, so its public URL was not checked.';
  if (findings.length === 0) return `No problems found.${place}`;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return `Found ${countOf(errors, 'error')} and ${countOf(findings.length - errors, 'warning')}.${place}`;
}

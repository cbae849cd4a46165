import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Daemon } from '../../app/daemon.ts';
import { startDaemon } from '../../app/start-daemon.ts';
import { generateSecret } from '../../definitions/signature/sign/generate-secret.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { Run } from '../../domain/resources/run.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import type { ScopeChange } from '../../domain/secrets/secret-scope.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { escapeLines, quoteForShell } from '../../domain/words/escape-text.ts';
import { TerminalText, textOf } from '../../domain/words/terminal-text.ts';
import { resolveDataPaths } from '../../platform/data-dir/data-paths.ts';
import { packageFile } from '../../platform/files/package-files.ts';
import { createRunLogReader } from '../../runs/executors/log/run-log.ts';
import { type DemoFactory, EXAMPLE, PAYMENTS } from './demo-factories.ts';
import { ensureDemoRepository } from './demo-repository.ts';
import { renderCurls, renderTriggers, sendDelivery } from './introduce-factory.ts';

const EXAMPLE_FACTORY = fileURLToPath(packageFile('example-factory'));
const EXAMPLE_AGENT = fileURLToPath(packageFile('example-agent/agent.mjs'));

const INGRESS_PORT = 8787;
const ADMIN_PORT = 8788;
const MAX_SHOWN_LOG_BYTES = 4_096;

export interface DemoOptions {
  /** Holds everything: database, keys, the example repository. A second start continues with it. */
  dir: string;
  /** How a shell in the working directory starts this program. */
  ownCommand: string;
  out: NodeJS.WritableStream;
  env: Environment;
  /** Ends the demo cleanly. */
  stop: AbortSignal;
}

/**
 * Runs a daemon with the example factories; prints how to call them, sends an event of GitHub, then prints each run. Resolves
 * with the exit code.
 */
export async function runDemo({ dir, ownCommand, out, env, stop }: DemoOptions): Promise<number> {
  const repository = join(dir, 'example-factory');
  await ensureDemoRepository(EXAMPLE_FACTORY, repository, env);
  const factories = [EXAMPLE, PAYMENTS].filter((factory) => isIn(repository, factory));
  const runLogs = createRunLogReader(resolveDataPaths(dir).runLogs);
  const daemon = await startDaemon({
    configFile: null,
    dataDir: dir,
    env,
    overrides: await composeConfig(repository, factories, env),
    log: { format: 'text', destination: out },
    beforeWork: (secrets) => ensureSecrets(secrets, factories),
    // What cannot be shown can be read with `dockbell run log`.
    onRunEnded: (run) => void printResult(out, runLogs, run).catch(() => {}),
  });
  if (stop.aborted) void daemon.stop();
  stop.addEventListener('abort', () => void daemon.stop(), { once: true });
  try {
    for (const { name } of factories) await daemon.reconcile.reconcileNow(name);
    out.write(await renderIntroduction(daemon, { factories, dir, repository, ownCommand }));
    if (factories.includes(PAYMENTS)) out.write(await sendDelivery(daemon, PAYMENTS, 'github'));
  } catch (error) {
    await daemon.stop();
    if (!stop.aborted) throw error;
  }
  return daemon.exited;
}

/** Overrides win over the environment, so they omit a port that the environment sets. */
async function composeConfig(
  repository: string,
  factories: readonly DemoFactory[],
  env: Environment,
): Promise<JsonObject> {
  return {
    ...(env.DOCKBELL_INGRESS_PORT === undefined ? { ingress: { port: await choosePort(INGRESS_PORT) } } : {}),
    ...(env.DOCKBELL_ADMIN_PORT === undefined ? { admin: { port: await choosePort(ADMIN_PORT) } } : {}),
    factories: factories.map(({ name, path }) => ({
      name,
      source: { type: 'repository', url: repository, ...(path === null ? {} : { path }) },
      runs: { executor: { type: 'command', command: [process.execPath, EXAMPLE_AGENT], timeout: '5m' } },
    })),
  };
}

/** The usual port, so that URLs stay the same; any free port if another process uses it. */
function choosePort(port: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(0));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)));
  });
}

/** A repository of an earlier version has only the first factory, and its user can delete any. */
function isIn(repository: string, { path }: DemoFactory): boolean {
  return path === null || existsSync(join(repository, path));
}

async function ensureSecrets(secrets: SecretStore, factories: readonly DemoFactory[]): Promise<void> {
  const existing = new Set((await secrets.list()).map((secret) => secret.name));
  for (const factory of factories) {
    const scope: ScopeChange = { factories: [factory.name], uses: ['webhook'] };
    for (const [name, kind] of Object.entries(factory.secrets)) {
      if (existing.has(name)) continue;
      await secrets.put(name, new SecretValue(generateSecret(kind, randomBytes)), 'create', { scope });
    }
  }
}

interface Introduced extends Pick<DemoOptions, 'dir' | 'ownCommand'> {
  factories: readonly DemoFactory[];
  repository: string;
}

async function renderIntroduction(
  daemon: Daemon,
  { factories, dir, repository, ownCommand }: Introduced,
): Promise<string> {
  const lines = [
    '',
    'Dockbell serves the example factory. Paste one of these, as often as you like:',
    ...(await renderCurls(daemon, EXAMPLE)),
    ...(factories.includes(PAYMENTS) ? await renderPayments(daemon) : []),
  ];
  const shown = relative(process.cwd(), repository) || repository;
  const option = dir === join(process.cwd(), '.dockbell') ? '' : ` --data-dir ${quoteForShell(dir)}`;
  return [
    ...lines,
    '',
    `The definition is the git repository ${shown}: change a file, commit it on main, and it is live within a second.`,
    'In another terminal:',
    `  ${ownCommand} status${option}`,
    `  ${ownCommand} delivery list internal-ci --factory ${EXAMPLE.name}${option}`,
    `Dashboard, signed in by this link once: ${await daemon.createStartLink()}`,
    `Management API: ${daemon.adminUrl}/api/v1 (owner token in ${join(relative(process.cwd(), dir) || dir, 'admin-token')}, OpenAPI at /api/v1/openapi.json)`,
    'Ctrl-C stops it cleanly; the next start continues with the same state. Runs are shown below.',
    '',
    '',
  ].join('\n');
}

async function renderPayments(daemon: Daemon): Promise<string[]> {
  return [
    '',
    `The factory ${PAYMENTS.name} starts from events of GitHub and at the times of a schedule:`,
    '',
    ...(await renderTriggers(daemon, PAYMENTS)),
    '',
    'The demo sends a signed event of GitHub, an issue that was labeled. To send it again:',
    ...(await renderCurls(daemon, PAYMENTS)),
  ];
}

/** What the run wrote, indented under the line that says how it ended. */
async function printResult(
  out: NodeJS.WritableStream,
  logs: ReturnType<typeof createRunLogReader>,
  run: Run,
): Promise<void> {
  const bytes = await logs.read(run.id, 0, MAX_SHOWN_LOG_BYTES);
  if (bytes === null) return;
  const terminal = new TerminalText();
  const lines = terminal.write(`${Buffer.from(bytes).toString('utf8').trimEnd()}\n`);
  for (const line of lines) out.write(`    | ${escapeLines(textOf(line))}\n`);
}

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Daemon } from '../app/daemon.ts';
import { startDaemon } from '../app/start-daemon.ts';
import type { JsonObject } from '../core/json.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Environment } from '../core/reserved-variables.ts';
import type { Run } from '../core/resources/run.ts';
import type { AuthMode } from '../core/resources/webhook.ts';
import type { ScopeChange } from '../core/secret-scope.ts';
import { SecretValue } from '../core/secret-value.ts';
import { systemClock } from '../core/time/clock.ts';
import { resolveDataPaths } from '../data-dir/data-paths.ts';
import { createRunLogReader } from '../executors/log/run-log.ts';
import { packageFile } from '../files/package-files.ts';
import { generateSecret } from '../signature/sign/generate-secret.ts';
import { escapeLines } from '../words/escape-text.ts';
import { TerminalText, textOf } from '../words/terminal-text.ts';
import { renderDemoCurl } from './demo-curl.ts';
import { ensureDemoRepository } from './demo-repository.ts';

const FACTORY = 'example';
const EXAMPLE_FACTORY = fileURLToPath(packageFile('example-factory'));
const EXAMPLE_AGENT = fileURLToPath(packageFile('example-agent/agent.mjs'));

/** Secrets that the example factory names, and what each is for. */
const SECRETS: Readonly<Record<string, Exclude<AuthMode, 'signature'>>> = {
  INTERNAL_CI_WEBHOOK_SECRET: 'token',
  UPTIME_WEBHOOK_SECRET: 'url_token',
  GITHUB_WEBHOOK_SECRET: 'token',
};

const INGRESS_PORT = 8787;
const ADMIN_PORT = 8788;
const MAX_SHOWN_LOG_BYTES = 4_096;

export interface DemoOptions {
  /** Holds everything: database, keys, the example repository. A second start continues with it. */
  dir: string;
  out: NodeJS.WritableStream;
  env: Environment;
  /** Ends the demo cleanly. */
  stop: AbortSignal;
}

/** Runs a daemon with the example factory; prints how to call it, then each run. Resolves with the exit code. */
export async function runDemo({ dir, out, env, stop }: DemoOptions): Promise<number> {
  const repository = join(dir, 'example-factory');
  await ensureDemoRepository(EXAMPLE_FACTORY, repository, env);
  const runLogs = createRunLogReader(resolveDataPaths(dir).runLogs);
  const daemon = await startDaemon({
    configFile: null,
    dataDir: dir,
    env,
    overrides: await composeConfig(repository, env),
    log: { format: 'text', destination: out },
    beforeWork: ensureSecrets,
    // What cannot be shown can be read with `dockbell run log`.
    onRunEnded: (run) => void printResult(out, runLogs, run).catch(() => {}),
  });
  if (stop.aborted) void daemon.stop();
  stop.addEventListener('abort', () => void daemon.stop(), { once: true });
  try {
    await daemon.reconcile.reconcileNow(FACTORY);
    out.write(await renderIntroduction(daemon, dir, repository));
  } catch (error) {
    await daemon.stop();
    if (!stop.aborted) throw error;
  }
  return daemon.exited;
}

/** Overrides win over the environment, so they omit a port that the environment sets. */
async function composeConfig(repository: string, env: Environment): Promise<JsonObject> {
  return {
    ...(env.DOCKBELL_INGRESS_PORT === undefined ? { ingress: { port: await choosePort(INGRESS_PORT) } } : {}),
    ...(env.DOCKBELL_ADMIN_PORT === undefined ? { admin: { port: await choosePort(ADMIN_PORT) } } : {}),
    factories: [
      {
        name: FACTORY,
        source: { type: 'repository', url: repository },
        runs: { executor: { type: 'command', command: [process.execPath, EXAMPLE_AGENT], timeout: '5m' } },
      },
    ],
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

async function ensureSecrets(secrets: SecretStore): Promise<void> {
  const existing = new Set((await secrets.list()).map((secret) => secret.name));
  const scope: ScopeChange = { factories: [FACTORY], uses: ['webhook'] };
  for (const [name, kind] of Object.entries(SECRETS)) {
    if (existing.has(name)) continue;
    await secrets.put(name, new SecretValue(generateSecret(kind, randomBytes)), 'create', { scope });
  }
}

async function renderIntroduction(daemon: Daemon, dir: string, repository: string): Promise<string> {
  const lines = ['', 'Dockbell serves the example factory. Paste one of these, as often as you like:'];
  for (const webhook of await daemon.inventory.webhooks(FACTORY)) {
    const secret = await daemon.secrets.open(webhook.secretName, webhook.secretVersion);
    const curl =
      secret === null
        ? '(its secret is missing)'
        : renderDemoCurl(webhook, daemon.ingressUrl, secret, systemClock.wallMs());
    lines.push('', `# ${webhook.name}: ${webhook.description ?? webhook.authMode}`, curl);
  }
  const shown = relative(process.cwd(), repository) || repository;
  const option = dir === join(process.cwd(), '.dockbell') ? '' : ` --data-dir ${dir}`;
  return [
    ...lines,
    '',
    `The definition is the git repository ${shown}: change a file, commit it on main, and it is live within a second.`,
    `In another terminal:  npx dockbell status${option}   npx dockbell delivery list internal-ci${option}`,
    `Dashboard, signed in by this link once: ${await daemon.createStartLink()}`,
    `Management API: ${daemon.adminUrl}/api/v1 (owner token in ${join(relative(process.cwd(), dir) || dir, 'admin-token')}, OpenAPI at /api/v1/openapi.json)`,
    'Ctrl-C stops it cleanly; the next start continues with the same state. Runs are shown below.',
    '',
    '',
  ].join('\n');
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

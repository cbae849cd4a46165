import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery, DeliveryExplanation, Reconciliation, Run, Webhook } from '../../client/api-types.ts';
import { formatPretty } from '../../definitions/report/format-pretty.ts';
import { describeScheme } from '../../definitions/signature/schemes/describe-scheme.ts';
import { resolveScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { MAX_DEFINITION_BYTES } from '../../domain/definitions/source-tree.ts';
import { escapeLines, escapeText } from '../../domain/words/escape-text.ts';
import { countOf, formatDuration } from '../../domain/words/quantities.ts';
import { buildTokenCurl } from '../../domain/words/sending-commands.ts';
import { TerminalText, textOf } from '../../domain/words/terminal-text.ts';
import { findWorkTreeRoot } from '../../reconcile/source/local-repository.ts';
import type { CliContext } from '../context.ts';
import { hasColors } from '../output/colors.ts';
import { isFailure } from '../output/describe-reconciliation.ts';
import type { Output } from '../output/output.ts';
import { printPlan } from '../output/print-reconciliation.ts';
import type { DevSecrets } from './dev-secrets.ts';
import { findSample } from './find-sample.ts';
import type { WebhookChoice } from './webhook-choice.ts';

interface ViewParts {
  output: Output;
  context: CliContext;
  /** Folder of the factory. */
  dir: string;
  /** What other commands need to find this daemon, with a leading space. */
  option: string;
  secrets: DevSecrets;
  /** The definition that is live; `null` if none was applied yet. */
  readLive: () => Promise<LiveDefinition | null>;
  /** Do runs only print their prompt? */
  isDry: boolean;
  /** The webhooks that keys choose; `null` without a terminal that passes keys. */
  choice: WebhookChoice | null;
}

/** What is live, also if an earlier start with the same data directory applied it. */
interface LiveDefinition {
  counts: { webhooks: number; automations: number };
  webhooks: readonly Webhook[];
}

/** Takes the output of one run. */
interface RunOutput {
  print(bytes: Uint8Array): void;
  end(run: Run): void;
}

/** Larger plans are printed as numbers only. */
const MAX_CHANGES = 20;
const KIND_WIDTH = 9;
/** Longer bodies are not text to paste. */
const MAX_SHOWN_BODY = 1_000;

/** What `dockbell dev` prints. */
export class DevView {
  readonly #parts: ViewParts;
  readonly #webhooks = new Set<string>();
  #isLive = false;
  #isRejected = false;

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  begin({ dir, executor, dashboard }: { dir: string; executor: string | null; dashboard: string }): void {
    const { output, choice } = this.#parts;
    output.line(`dockbell dev serves ${escapeText(dir)}. Saved files are live; Ctrl-C stops.`);
    output.line(
      executor === null
        ? 'Runs are not executed: each prints its prompt. To execute them: --exec COMMAND, or an executor in dockbell.yaml.'
        : `Runs execute: ${escapeText(executor)}`,
    );
    output.line(`Dashboard, signed in by this link once: ${dashboard}`);
    if (choice !== null) output.line('Keys: s sends a sample delivery, 1 to 9 choose its webhook, Ctrl-C stops.');
    output.line();
  }

  end(): void {
    this.#say('stopped', 'The daemon has stopped.');
  }

  /** The files are as they were applied last. */
  async showUnchanged(): Promise<void> {
    await this.#showFirst('');
    if (!this.#isRejected) return;
    this.#isRejected = false;
    this.#say('valid', 'The files are valid again, and the same as the live definition.');
  }

  async showApplied(applied: Reconciliation): Promise<void> {
    const { output } = this.#parts;
    if (this.#isRejected) this.#say('valid', 'The files are valid again.');
    this.#isRejected = false;
    const tookMs = Date.parse(applied.finished_at) - Date.parse(applied.started_at);
    const took = output.colors.dim(`(${formatDuration(tookMs)})`);
    if (await this.#showFirst(took, applied.diagnostics)) return;
    this.#say('live', `${describeChanges(applied)} ${took}`);
    if (countChanges(applied) <= MAX_CHANGES) printPlan(output, applied);
    this.#printFindings(await this.#format(applied.diagnostics));
    const { create, update } = applied.plan.webhooks;
    if (create.length + update.length === 0) return;
    await this.#printWebhooks(
      (await this.#parts.readLive())?.webhooks ?? [],
      [...create, ...update].map(({ name }) => name),
    );
  }

  /** Shows what is live as a whole, once. Returns whether it did. */
  async #showFirst(took: string, diagnostics: readonly Diagnostic[] = []): Promise<boolean> {
    if (this.#isLive) return false;
    const live = await this.#parts.readLive();
    if (live === null) return false;
    const { counts, webhooks } = live;
    this.#isLive = true;
    const shown = `${countOf(counts.webhooks, 'webhook')}, ${countOf(counts.automations, 'automation')}`;
    this.#say('live', `${shown} ${took}`);
    this.#printFindings(await this.#format(diagnostics));
    await this.#printWebhooks(
      webhooks,
      webhooks.map(({ name }) => name),
    );
    return true;
  }

  async #printWebhooks(webhooks: readonly Webhook[], changed: readonly string[]): Promise<void> {
    this.#parts.choice?.addChanged(changed);
    const isNew = ({ name, secret_name }: Webhook) => !this.#webhooks.has(`${name} ${secret_name}`);
    for (const webhook of webhooks.filter(isNew)) await this.#printWebhook(webhook);
  }

  showChosen(webhook: string): void {
    this.#say('chosen', `${this.#parts.output.colors.bold(escapeText(webhook))}: s sends it a delivery.`);
  }

  /** `sample`: its name; `null` for a small event. */
  showSending(webhook: string, sample: string | null): void {
    const sent = sample === null ? 'a small event' : `sample ${escapeText(sample)}`;
    this.#say('send', `${this.#parts.output.colors.bold(escapeText(webhook))}  ${sent}`);
  }

  showSendFailure(why: string): void {
    this.#say('failed', `No delivery was accepted. ${escapeText(why)}`);
  }

  async showRejected(rejected: Reconciliation): Promise<void> {
    const { output } = this.#parts;
    if (!isFailure(rejected)) return;
    await this.#showFirst('');
    this.#isRejected = true;
    this.#say(rejected.result, rejected.diagnostics.length === 0 ? escapeText(rejected.message) : '');
    this.#printFindings(await this.#format(rejected.diagnostics));
    const live = this.#isLive ? 'The last valid definition stays live.' : 'Nothing is live yet.';
    output.line(`  ${live} Save the files again after a change.`);
  }

  showDelivery(delivery: Delivery): void {
    const { colors } = this.#parts.output;
    const { id, label, event, size, summary, count, webhook_name: webhook } = delivery;
    const outcome = label ?? 'Rejected (rate)';
    const paint = label === 'Accepted' ? colors.green : label === 'Duplicate' ? colors.dim : colors.red;
    const parts = [
      colors.bold(escapeText(webhook)),
      paint(count > 1 ? `${outcome} ×${count}` : outcome),
      escapeText(event ?? ''),
      `${size} B`,
      id,
      escapeText(summary ?? ''),
    ];
    this.#say('delivery', parts.filter((part) => part !== '').join('  '));
    const reason = describeReason(delivery);
    if (reason !== null) this.#detail(escapeText(reason));
    if (label === 'Rejected (auth)') this.#detail(`Why: dockbell diagnose ${id}${this.#parts.option}`);
  }

  showDecisions(delivery: Delivery, { decisions, next_cursor: next }: DeliveryExplanation): void {
    const { colors } = this.#parts.output;
    if (decisions.length === 0) this.#detail('No automation has a trigger for this webhook.');
    const isStart = ({ outcome }: { outcome: string }) => outcome === 'started';
    for (const { automation, run } of decisions.filter(isStart)) {
      this.#detail(`${colors.green('✓')} ${colors.bold(escapeText(automation))} starts ${run ?? ''}`);
    }
    for (const { automation, message } of decisions.filter((decision) => !isStart(decision))) {
      this.#detail(`${colors.yellow('✗')} ${colors.bold(escapeText(automation))}: ${escapeText(message)}`);
    }
    if (next !== null) this.#detail(`More: dockbell delivery show ${delivery.id} --explain${this.#parts.option}`);
  }

  startRun({ id, automation, attempt }: Run): RunOutput {
    const { output, isDry } = this.#parts;
    const name = `${output.colors.bold(escapeText(automation))}  ${id}`;
    const again = attempt > 1 ? `, attempt ${attempt}` : '';
    if (!isDry) this.#say('run', `${name}  started${again}`);
    const terminal = new TerminalText();
    const decoder = new TextDecoder();
    // A prompt is printed as a whole, below its run.
    const prompt: string[] = [];
    const print = (text: string) => {
      const lines = terminal.write(text).map((line) => escapeLines(textOf(line)));
      if (isDry) prompt.push(...lines);
      else this.#printOutput(lines);
    };
    return {
      print: (bytes) => print(decoder.decode(bytes, { stream: true })),
      end: (run) => {
        if (textOf(terminal.openLine) !== '') print('\n');
        if (isDry) this.#say('run', `${name}  would execute this prompt${again}:`);
        this.#printOutput(prompt);
        if (!isDry || run.state !== 'succeeded') this.#endRun(run, name);
      },
    };
  }

  #printOutput(lines: readonly string[]): void {
    const { output } = this.#parts;
    for (const line of lines) output.line(`  ${output.colors.dim('|')} ${line}`.trimEnd());
  }

  #endRun({ state, error, started_at, finished_at }: Run, name: string): void {
    const { colors } = this.#parts.output;
    const paint = state === 'succeeded' ? colors.green : colors.red;
    const tookMs =
      started_at === null || finished_at === null ? null : Date.parse(finished_at) - Date.parse(started_at);
    const after = tookMs === null ? '' : ` after ${formatDuration(tookMs)}`;
    this.#say('run', `${name}  ${paint(state)}${after}${error === null ? '' : `: ${escapeText(error)}`}`);
  }

  async #printWebhook(webhook: Webhook): Promise<void> {
    const { output, dir, option, choice } = this.#parts;
    const { name, secret_name: secret } = webhook;
    const key = choice?.keyOf(name) ?? null;
    this.#webhooks.add(`${name} ${secret}`);
    const found = this.#parts.secrets.find(secret);
    output.line();
    output.line(`  ${key === null ? '' : `[${key}] `}${output.colors.bold(escapeText(name))}  ${webhook.ingress_url}`);
    output.line(`    ${secret}: ${describeSecret(found)}`);
    const sample = await findSample(dir, name);
    const scheme =
      webhook.auth_mode === 'signature' ? resolveScheme(webhook.signature_scheme, webhook.signature) : null;
    if (scheme !== null && describeScheme(scheme).signedWith !== 'secret') {
      output.line(`    Only ${scheme.title} can sign a delivery: set ${secret} to its public key, and let it send.`);
      return;
    }
    output.line(
      `    ${sample === null ? `dockbell send ${name}` : `dockbell send ${name} --sample ${sample.name}`}${option}`,
    );
    if (scheme !== null) return;
    const value = found?.origin === 'generated' ? found.value : null;
    const isShort = sample !== null && sample.body.length <= MAX_SHOWN_BODY;
    output.line(`    ${isShort ? buildTokenCurl(webhook, value, sample.body) : buildTokenCurl(webhook, value)}`);
  }

  #printFindings(text: string): void {
    if (text === '') return;
    for (const line of text.trimEnd().split('\n')) this.#parts.output.line(`  ${line}`.trimEnd());
  }

  /** As `dockbell validate` prints them. */
  async #format(diagnostics: readonly Diagnostic[]): Promise<string> {
    const { context, dir } = this.#parts;
    const root = (await findWorkTreeRoot(dir)) ?? dir;
    const files = [...new Set(diagnostics.map(({ file }) => file))].filter((file) => file !== '');
    const read = await Promise.all(files.map(async (file) => [file, await readSource(join(root, file))] as const));
    const sources = new Map(read.filter((one): one is [string, string] => one[1] !== null));
    return formatPretty(diagnostics, { sources, color: hasColors(context.stdout, context.env) });
  }

  #say(kind: string, text: string): void {
    const { output, context } = this.#parts;
    const paint = COLORS[kind] ?? 'cyan';
    const time = new Date(context.clock.wallMs()).toTimeString().slice(0, 8);
    output.line(`${output.colors.dim(time)} ${output.colors[paint](kind.padEnd(KIND_WIDTH))} ${text}`.trimEnd());
  }

  #detail(text: string): void {
    this.#parts.output.line(`  ${text}`);
  }
}

const COLORS: Readonly<Record<string, 'green' | 'red' | 'cyan'>> = {
  live: 'green',
  valid: 'green',
  invalid: 'red',
  failed: 'red',
};

function describeChanges(applied: Reconciliation): string {
  const changes = countChanges(applied);
  return changes === 0 ? 'No webhook or automation changed.' : countOf(changes, 'change');
}

function countChanges({ plan: { webhooks, automations } }: Pick<Reconciliation, 'plan'>): number {
  const sum = ({ create, update, delete: deleted }: typeof webhooks) => create.length + update.length + deleted.length;
  return sum(webhooks) + sum(automations);
}

function describeSecret(secret: ReturnType<DevSecrets['find']>): string {
  if (secret === undefined) return 'given to an earlier start';
  if (secret.origin === 'generated') return `generated, ${secret.value.replaceAll('\n', '\\n')}`;
  return secret.origin === 'environment' ? 'from the environment' : 'from the file with secrets';
}

function describeReason({ label, reason, reason_text: text, duplicate_of: original }: Delivery): string | null {
  if (label === 'Duplicate') return `Starts nothing: duplicate of ${original ?? 'an earlier delivery'}.`;
  return reason === null ? null : `${reason}: ${text}`;
}

/** The text of a file of the folder, to quote a line. `null` if it cannot be read, or is too large to be quoted. */
async function readSource(file: string): Promise<string | null> {
  const bytes = await readFile(file).catch(() => null);
  return bytes === null || bytes.length > MAX_DEFINITION_BYTES ? null : bytes.toString('utf8');
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ApiClient } from '../client/create-api-client.ts';
import { createOnce } from '../client/create-once.ts';
import { type PendingAnswer, RequestFailed, readAnswer } from '../client/read-answer.ts';
import { suggest } from '../domain/suggest.ts';
import { escapeText } from '../domain/words/escape-text.ts';
import type { ClientLimits, DaemonClient } from './connect-daemon.ts';
import { type Connection, type ConnectionOptions, findConnection, MissingToken } from './connection.ts';
import type { CliContext } from './context.ts';
import { CliError } from './exit-codes.ts';
import { explainRequestFailure } from './explain-request-failure.ts';
import { createOutput, type Output } from './output/output.ts';

/** One running command: its context, its output, and the client of the daemon when it is needed. */
export class CommandSession {
  readonly context: CliContext;
  readonly output: Output;
  /** Global options: `--url`, `--token`, `--data-dir`, and so on; `factory` also from `DOCKBELL_FACTORY`. */
  readonly globals: ConnectionOptions;
  /** The factory that `--factory` names on this command line. */
  readonly named: string | undefined;
  #connection: Promise<Connection> | null = null;
  #client: Promise<DaemonClient> | null = null;
  #factory: Promise<string> | null = null;

  constructor(context: CliContext, globals: ConnectionOptions) {
    this.context = context;
    this.output = createOutput(context);
    this.named = globals.factory;
    this.globals = { ...globals, factory: globals.factory ?? (context.env.DOCKBELL_FACTORY || undefined) };
  }

  get nowMs(): number {
    return this.context.clock.wallMs();
  }

  /** The client of the daemon that the options name. */
  async api(): Promise<ApiClient> {
    const isReadOnly = this.globals.dryRun === true;
    this.#client ??= this.#connect({ isReadOnly });
    return (await this.#client).api;
  }

  /** The same client, but a request without an answer fails after this time. Must be the first call for a client. */
  async apiWithin(answerTimeoutMs: number): Promise<ApiClient> {
    this.#client ??= this.#connect({ answerTimeoutMs });
    return (await this.#client).api;
  }

  /** The client is loaded when it is used: commands without a daemon do not need it. */
  async #connect(limits: ClientLimits): Promise<DaemonClient> {
    const [connection, { connectDaemon }] = await Promise.all([this.connection(), import('./connect-daemon.ts')]);
    return connectDaemon(connection, limits);
  }

  /** As `DaemonClient.download`. */
  async download(path: string, body: object, signal: AbortSignal): Promise<IncomingMessage> {
    await this.api();
    return (await this.#client!).download(path, body, signal);
  }

  /**
   * Does a daemon answer? `false` only if no address is named: the command can then work in the data directory, whose lock
   * shows whether a daemon uses it.
   */
  async hasDaemon(): Promise<boolean> {
    try {
      await readAnswer((await this.api()).GET('/api/v1/openapi.json'));
      return true;
    } catch (error) {
      const { url, profile } = this.globals;
      const isNamed = (url ?? profile) !== undefined || Boolean(this.context.env.DOCKBELL_URL);
      const isUnreachable =
        (error instanceof CliError && error.code === 'unreachable') ||
        (error instanceof RequestFailed && error.problem.code === 'unreachable');
      if (isNamed || !isUnreachable) throw error;
      return false;
    }
  }

  /** A session for another data directory, to be closed. */
  withDataDir(dataDir: string): CommandSession {
    return new CommandSession(this.context, { ...this.globals, dataDir });
  }

  /** Sends a request that creates something. If its answer is lost, it is repeated and creates nothing twice. */
  create<T>(send: (headers: { 'idempotency-key': string }) => PendingAnswer<T>): Promise<NonNullable<T>> {
    return createOnce(send, { newKey: randomUUID, sleep: this.context.sleep });
  }

  /** The factory that `--factory` names, or the only one. */
  factory(): Promise<string> {
    this.#factory ??= this.#findFactory();
    return this.#factory;
  }

  /** Names of the factories that the command reads: the one of `--factory`, or all that the token can access. */
  async factories(): Promise<string[]> {
    if (this.globals.factory !== undefined) return [this.globals.factory];
    return this.#listFactories();
  }

  async #listFactories(): Promise<string[]> {
    const api = await this.api();
    const { data } = await readAnswer(api.GET('/api/v1/factories'));
    return data.map(({ name }) => name);
  }

  /** Factories that are no longer in the configuration count only if there is no other. */
  async #listConfigured(): Promise<string[]> {
    const api = await this.api();
    const { data } = await readAnswer(api.GET('/api/v1/factories'));
    const configured = data.filter(({ source }) => source !== null);
    return (configured.length === 0 ? data : configured).map(({ name }) => name);
  }

  /** The daemon that the options name, for requests that the client cannot send. */
  connection(): Promise<Connection> {
    this.#connection ??= findConnection(this.globals, this.context);
    return this.#connection;
  }

  /** The option that selects the same factory in another command, with a leading space. Empty if none is needed. */
  factoryOption(): string {
    const { named } = this;
    return named === undefined ? '' : ` --factory ${escapeText(named)}`;
  }

  /**
   * What a command threw, as the command line reports it. The API answers for an unknown factory as for any other unknown
   * object, so an unknown factory is looked up here, unless the command has sent nothing.
   */
  async explainFailure(thrown: unknown): Promise<unknown> {
    if (thrown instanceof MissingToken) return explainMissingToken(thrown);
    const error =
      thrown instanceof RequestFailed ? explainRequestFailure(thrown, (await this.connection()).url) : thrown;
    if (!(error instanceof CliError) || error.code !== 'not_found' || this.#client === null) return error;
    const factory = await this.#findNamedFactory().catch(() => null);
    if (factory === null) return error;
    const names = await this.#listFactories().catch(() => null);
    if (names === null || names.includes(factory)) return error;
    const similar = suggest(factory, names);
    const question = similar === null ? '' : `Did you mean ${escapeText(similar)}? `;
    const known =
      names.length === 0 ? 'The daemon serves no factory.' : `The daemon serves: ${names.map(escapeText).join(', ')}.`;
    return new CliError(`There is no factory '${escapeText(factory)}'.`, {
      code: 'not_found',
      hint: `${question}${known}`,
    });
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => null);
    if (client == null) return;
    client.close();
    const expiresAt = client.tokenExpiresAt();
    if (expiresAt === null) return;
    // Imported here, because few commands use a token that expires.
    const { expiresSoon } = await import('../domain/words/credentials.ts');
    if (!expiresSoon({ expiresAt }, this.nowMs)) return;
    const { formatSpan } = await import('./output/format-time.ts');
    const advice = "Create a new one with 'dockbell token create'";
    this.output.note(`The API token expires in ${formatSpan(expiresAt - this.nowMs)}. ${advice}.`);
  }

  /** The factory of the option, the environment or the profile. `null` if none names one. */
  async #findNamedFactory(): Promise<string | null> {
    return this.globals.factory ?? (await this.connection()).profile?.factory ?? null;
  }

  async #findFactory(): Promise<string> {
    const named = await this.#findNamedFactory();
    if (named !== null) return named;
    const [only, ...others] = await this.#listConfigured();
    if (only === undefined) {
      throw new CliError('The daemon serves no factory.', {
        code: 'not_found',
        hint: "Add one under 'factories' of dockbell.yaml and run 'dockbell reload'.",
      });
    }
    if (others.length === 0) return only;
    throw new CliError(`The daemon serves ${others.length + 1} factories, so the command has to name one.`, {
      code: 'ambiguous',
      hint: `Add --factory (or set DOCKBELL_FACTORY) with one of: ${[only, ...others].map(escapeText).join(', ')}.`,
    });
  }
}

/** The work of one command. Resolves with the exit code; expected failures throw `CliError` or `AppError`. */
export type CommandWork<Options, Args extends unknown[]> = (
  session: CommandSession,
  options: Options,
  ...args: Args
) => Promise<number>;

/** Turns the work of a command into what commander calls. */
export type Bind = <Options, Args extends unknown[]>(
  work: CommandWork<Options, Args>,
) => (...given: unknown[]) => Promise<void>;

/** A token does not help if no daemon can be reached. */
async function explainMissingToken(thrown: MissingToken): Promise<CliError> {
  const { findConnectFailure } = await import('./connect-daemon.ts');
  const failure = await findConnectFailure(thrown.url);
  return failure === null ? thrown : explainRequestFailure(failure, thrown.url);
}

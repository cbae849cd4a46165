import { escapeText } from '../core/escape-text.ts';
import { ApiClient } from './api-client.ts';
import type { Factory, Page } from './api-types.ts';
import type { ConnectionOptions } from './connection.ts';
import { findConnection } from './connection.ts';
import type { CliContext } from './context.ts';
import { CliError } from './exit-codes.ts';
import type { Output } from './output.ts';
import { createOutput } from './output.ts';

/** One command at work: its surroundings, its output, and the daemon once it is asked for. */
export class Session {
  readonly context: CliContext;
  readonly output: Output;
  /** Options of the whole program: `--url`, `--token`, `--data-dir`, `--factory`. */
  readonly globals: ConnectionOptions;
  #client: Promise<ApiClient> | null = null;
  #factory: Promise<string> | null = null;

  constructor(context: CliContext, globals: ConnectionOptions) {
    this.context = context;
    this.output = createOutput(context);
    this.globals = globals;
  }

  get nowMs(): number {
    return this.context.clock.wallMs();
  }

  /** The client of the daemon that the options name. */
  api(): Promise<ApiClient> {
    this.#client ??= findConnection(this.globals, this.context).then(
      (connection) => new ApiClient(connection, this.context.sleep),
    );
    return this.#client;
  }

  /** The factory that `--factory` names, or the only one. */
  factory(): Promise<string> {
    this.#factory ??= this.#findFactory();
    return this.#factory;
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => null);
    await client?.close();
  }

  async #findFactory(): Promise<string> {
    if (this.globals.factory !== undefined) return this.globals.factory;
    const api = await this.api();
    const { data } = await api.get<Page<Factory>>(['factories']);
    const [only, ...others] = data.map((factory) => factory.name);
    if (only === undefined) {
      throw new CliError('The daemon serves no factory.', { hint: "Add one under 'factories' of dockbell.yaml." });
    }
    if (others.length === 0) return only;
    throw new CliError(`The daemon serves ${data.length} factories, so the command has to name one.`, {
      hint: `Add --factory with one of: ${[only, ...others].map(escapeText).join(', ')}.`,
    });
  }
}

/** The work of one command. Resolves with the exit code; a refusal is thrown as `CliError` or `AppError`. */
export type CommandWork<Options, Args extends unknown[]> = (
  session: Session,
  options: Options,
  ...args: Args
) => Promise<number>;

/** Turns the work of a command into what commander calls. */
export type Bind = <Options, Args extends unknown[]>(
  work: CommandWork<Options, Args>,
) => (...given: unknown[]) => Promise<void>;

import { randomUUID } from 'node:crypto';
import type { Agent } from 'undici';
import type { Diagnostic } from '../core/diagnostic.ts';
import type { ErrorCode } from '../core/errors.ts';
import { ERROR_CODES } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import { escapeText } from '../words/escape-text.ts';
import type { Page } from './api-types.ts';
import type { Connection } from './connection.ts';
import type { CliContext } from './context.ts';
import { CliError, type CliErrorCode, EXIT_CODES, type ExitCode } from './exit-codes.ts';

/** Query parameters; those without a value are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface Call {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Segments under `/api/v1`, percent-encoded here. */
  path: readonly string[];
  query?: Query;
  /** Sent as JSON. */
  body?: object;
  idempotencyKey?: string;
  /** The `ETag` of what the change is made on. */
  ifMatch?: string;
}

interface Answer {
  status: number;
  body: Buffer;
  etag: string | null;
}

/** How often a request is sent that makes something, and what is waited before each further time. */
const REPEAT_AFTER_MS = [500, 1000, 2000, 4000] as const;

/** An answer other than 2xx, told as the daemon told it. */
export class ApiError extends CliError {
  readonly status: number;
  /** Findings in definition files, where they are the reason. */
  readonly diagnostics: Diagnostic[] | null;
  /** JSON Pointers of the values of the request that the daemon rejects, such as `#/secret`. */
  readonly pointers: readonly string[];

  /** @param exitCode as the table of error codes says for the code that the daemon gave */
  constructor(
    status: number,
    message: string,
    options: {
      hint: string;
      exitCode: ExitCode;
      diagnostics: Diagnostic[] | null;
      code: CliErrorCode;
      pointers: readonly string[];
    },
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.status = status;
    this.diagnostics = options.diagnostics;
    this.pointers = options.pointers;
  }
}

// As many rows as the API gives at once.
const MAX_PAGE = 100;
// A reconciliation that is waited for may fetch a large repository first.
const ANSWER_TIMEOUT_MS = 15 * 60_000;

const AGENT_OPTIONS = {
  connect: { timeout: 10_000 },
  headersTimeout: ANSWER_TIMEOUT_MS,
  bodyTimeout: ANSWER_TIMEOUT_MS,
};

/** Commands that work offline, `validate` for example, do not wait a tenth of a second for it. */
const loadHttpClient = () => import('undici');

/** A client of the management API. Throws `CliError` for an unreachable daemon and `ApiError` for a refusal. */
export class ApiClient {
  readonly #connection: Connection;
  readonly #sleep: CliContext['sleep'];
  #agent: Agent | null = null;

  constructor(connection: Connection, sleep: CliContext['sleep']) {
    this.#connection = connection;
    this.#sleep = sleep;
  }

  async get<T>(path: readonly string[], query: Query = {}): Promise<T> {
    return parseAnswer(await this.#call({ method: 'GET', path, query })) as T;
  }

  /** As `get`, but `null` where the API answers 404. */
  async find<T>(path: readonly string[]): Promise<T | null> {
    try {
      return await this.get<T>(path);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  async getBytes(path: readonly string[], query: Query = {}): Promise<Uint8Array> {
    return this.#call({ method: 'GET', path, query });
  }

  /** What `get` answers, with the `ETag` that a change of it is made on. Throws where the daemon sends none. */
  async getTagged<T>(path: readonly string[]): Promise<{ value: T; etag: string }> {
    const { body, etag } = await this.#exchange({ method: 'GET', path });
    if (etag === null)
      throw new CliError('The answer has no ETag, so it did not come from a Dockbell daemon.', {
        code: 'unexpected_answer',
      });
    return { value: parseAnswer(body) as T, etag };
  }

  async put<T>(path: readonly string[], body: object, query: Query = {}): Promise<T> {
    return parseAnswer(await this.#call({ method: 'PUT', path, query, body })) as T;
  }

  /** Replaces what `getTagged` answered; refused where somebody changed it since. */
  async replace<T>(path: readonly string[], body: object, ifMatch: string): Promise<T> {
    return parseAnswer(await this.#call({ method: 'PUT', path, body, ifMatch })) as T;
  }

  async post<T>(path: readonly string[], body?: object, query: Query = {}): Promise<T> {
    return parseAnswer(await this.#call({ method: 'POST', path, query, ...(body === undefined ? {} : { body }) })) as T;
  }

  /**
   * A `POST` that makes something anew. Where its answer is lost on the way it is sent again under the same
   * `Idempotency-Key`, so that the first answer comes after all, secrets included, and nothing is made twice.
   */
  async create<T>(path: readonly string[], body?: object): Promise<T> {
    const idempotencyKey = randomUUID();
    const call: Call = { method: 'POST', path, idempotencyKey, ...(body === undefined ? {} : { body }) };
    for (const [repetitions, waitMs] of REPEAT_AFTER_MS.entries()) {
      try {
        return parseAnswer(await this.#call(call)) as T;
      } catch (error) {
        if (!isWorthRepeating(error, repetitions)) throw error;
      }
      await this.#sleep(waitMs);
    }
    return parseAnswer(await this.#call(call)) as T;
  }

  async patch<T>(path: readonly string[], body: object): Promise<T> {
    return parseAnswer(await this.#call({ method: 'PATCH', path, body })) as T;
  }

  async delete(path: readonly string[], query: Query = {}): Promise<void> {
    await this.#call({ method: 'DELETE', path, query });
  }

  /** Follows the cursors of a list up to `limit` rows (all, when `null`), newest first where the list is. */
  async list<T>(path: readonly string[], options: { limit: number | null; query?: Query }): Promise<Page<T>> {
    const data: T[] = [];
    let cursor: string | null = null;
    do {
      const limit = options.limit === null ? null : Math.min(MAX_PAGE, options.limit - data.length);
      const page: Page<T> = await this.get(path, { ...options.query, limit, cursor });
      data.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null && (options.limit === null || data.length < options.limit));
    return { data, next_cursor: cursor };
  }

  /** Closes the connections, so that the process can end. */
  async close(): Promise<void> {
    await this.#agent?.close();
  }

  async #call(call: Call): Promise<Buffer> {
    return (await this.#exchange(call)).body;
  }

  async #exchange(call: Call): Promise<Answer> {
    const answer = await this.#send(call);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw this.#refusal(answer.status, answer.body);
  }

  async #send(call: Call): Promise<Answer> {
    try {
      const { Agent, request } = await loadHttpClient();
      this.#agent ??= new Agent(AGENT_OPTIONS);
      const response = await request(buildUrl(this.#connection.url, call), {
        method: call.method,
        dispatcher: this.#agent,
        headers: {
          authorization: `Bearer ${this.#connection.token}`,
          accept: 'application/json',
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
          ...(call.ifMatch === undefined ? {} : { 'if-match': call.ifMatch }),
        },
        body: call.body === undefined ? null : JSON.stringify(call.body),
      });
      const { etag } = response.headers;
      const body = Buffer.from(await response.body.arrayBuffer());
      return { status: response.statusCode, body, etag: typeof etag === 'string' ? etag : null };
    } catch (cause) {
      throw unreachable(this.#connection.url, cause);
    }
  }

  #refusal(status: number, body: Buffer): ApiError {
    const { detail, code, diagnostics, pointers } = parseProblem(body);
    const message = detail ?? `The daemon at ${this.#connection.url} answered with status ${status}.`;
    const exitCode = code === null ? EXIT_CODES.failed : ERROR_CODES[code].exit;
    return new ApiError(status, escapeText(message), {
      hint: HINTS[status] ?? '',
      exitCode,
      diagnostics,
      code: code ?? 'unexpected_answer',
      pointers,
    });
  }
}

/** The answer was lost on the way, the daemon begins again since then, or the first request is still being carried out. */
function isWorthRepeating(error: unknown, repetitions: number): boolean {
  if (error instanceof ApiError) return error.code === 'idempotency_key_in_use';
  const code = error instanceof CliError ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
  if (code === 'ECONNREFUSED') return repetitions > 0;
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'Check --token-file, --token, DOCKBELL_TOKEN or DOCKBELL_TOKEN_FILE; an owner finds a token in <dataDir>/admin-token.',
  403: "Ask an owner for a token with a higher role ('dockbell token create').",
};

function buildUrl(base: string, call: Call): string {
  const url = new URL(`${base}/api/v1/${call.path.map(encodeSegment).join('/')}`);
  for (const [key, value] of Object.entries(call.query ?? {})) {
    if (value !== null && value !== undefined) url.searchParams.set(key, String(value));
  }
  return url.href;
}

/** A segment such as `..` would be resolved away by every URL parser: no resource has such a name. */
function encodeSegment(segment: string): string {
  if (segment === '' || segment === '.' || segment === '..') {
    throw new CliError(`'${segment}' is not a name or an ID.`);
  }
  return encodeURIComponent(segment);
}

function unreachable(url: string, cause: unknown): CliError {
  const code = (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : String(cause));
  return new CliError(`The daemon at ${url} cannot be reached (${code}).`, {
    code: 'unreachable',
    hint: "Start it with 'dockbell serve', or check --data-dir, --url and DOCKBELL_URL.",
    cause,
  });
}

function parseAnswer(body: Buffer): unknown {
  if (body.length === 0) return null;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new CliError('The answer is not JSON, so it did not come from a Dockbell daemon.', {
      code: 'unexpected_answer',
      hint: 'Check --url and DOCKBELL_URL: they name the admin address, not the ingress.',
      cause,
    });
  }
}

/** What a problem document (RFC 9457) tells; all `null` where the body is something else. */
interface ParsedProblem {
  detail: string | null;
  code: ErrorCode | null;
  diagnostics: Diagnostic[] | null;
  pointers: string[];
}

function parseProblem(body: Buffer): ParsedProblem {
  try {
    const problem: unknown = JSON.parse(body.toString('utf8'));
    if (!isJsonObject(problem)) return NO_PROBLEM;
    const sentence = problem.detail ?? problem.title;
    return {
      detail: typeof sentence === 'string' ? sentence : null,
      code: isErrorCode(problem.code) ? problem.code : null,
      diagnostics: Array.isArray(problem.diagnostics) ? (problem.diagnostics as unknown as Diagnostic[]) : null,
      pointers: listPointers(problem.errors),
    };
  } catch {
    return NO_PROBLEM;
  }
}

const NO_PROBLEM: ParsedProblem = { detail: null, code: null, diagnostics: null, pointers: [] };

function listPointers(errors: unknown): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error) => (isJsonObject(error) && typeof error.pointer === 'string' ? [error.pointer] : []));
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
}

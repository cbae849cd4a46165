import type { Dispatcher } from 'undici';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { openGuardedConnections } from '../guarded-connections.ts';
import { describeNetworkFailure } from '../network-failure.ts';
import { type OutboundCall, type OutboundResponse, readWhole, sendRequest } from '../send-request.ts';
import { describeRateLimit, isRateLimited } from './rate-limit.ts';

const TIMEOUT_MS = 15_000;
/** All requests of one order together. */
const TOTAL_TIMEOUT_MS = 90_000;
/** A page of 100 webhooks has less than 200 KiB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_QUOTED_CHARACTERS = 300;

/** An answer of a provider. Header names are in lowercase. */
export interface ApiAnswer {
  status: number;
  headers: OutboundResponse['headers'];
  /** `undefined` if the body of an error is not JSON. */
  json: unknown;
}

interface ProviderApiParts {
  /** The name of the provider for people. */
  title: string;
  /** Base URL, without a slash at its end. */
  apiUrl: string;
  /** May the URL lead to addresses that are not public? */
  allowPrivate: boolean;
  authorization: string;
  /** Values that no error may quote. */
  secrets: readonly SecretValue[];
  userAgent: string;
  nowMs(): number;
}

/** What somebody who asks for webhooks of a target needs at the provider. */
export interface Permission {
  target: string;
  /** For example `the scope admin:repo_hook`. */
  needs: string;
}

/** The API of a provider, for the requests of one order. Every failure is one sentence that says what to do. */
export class ProviderApi {
  readonly #parts: ProviderApiParts;
  readonly #connections: Dispatcher;
  readonly #signal = AbortSignal.timeout(TOTAL_TIMEOUT_MS);

  private constructor(parts: ProviderApiParts, connections: Dispatcher) {
    this.#parts = parts;
    this.#connections = connections;
  }

  /** Calls `use` with an API whose connections end with it. */
  static async use<T>(parts: ProviderApiParts, use: (api: ProviderApi) => Promise<T>): Promise<T> {
    const { allowPrivate } = parts;
    const connections = await openGuardedConnections(new URL(parts.apiUrl), { allowPrivate }).catch(
      (error: unknown) => {
        throw unreachable(parts, describeNetworkFailure(error), false);
      },
    );
    try {
      return await use(new ProviderApi(parts, connections));
    } finally {
      await connections.destroy();
    }
  }

  /**
   * Sends a request, and returns the answer with any status but those of rate limits and redirects. Throws
   * `provider_failed` without a usable answer.
   *
   * @param path below the base URL, with its query
   * @param isRead does the request change nothing? Queries of GraphQL are posted, too
   */
  async send(
    method: OutboundCall['method'],
    path: string,
    body?: unknown,
    isRead: boolean = method === 'GET',
  ): Promise<ApiAnswer> {
    const { title, apiUrl } = this.#parts;
    const { status, headers, bytes } = await this.#exchange(method, path, body).catch((error: unknown) => {
      const isTimeout = error instanceof Error && error.name === 'TimeoutError';
      const why = isTimeout ? `no answer within ${TIMEOUT_MS / 1000} s` : describeNetworkFailure(error);
      throw unreachable(this.#parts, why, !isRead);
    });
    if (isRateLimited(status, headers)) this.rejectRate({ headers });
    if (status >= 300 && status < 400) {
      const advice = 'Redirects are not followed: use the current name of the target, and the final URL of the API';
      throw new AppError('provider_failed', `${title} answered ${status} to ${method} ${shorten(path)}. ${advice}.`);
    }
    if (bytes === null) {
      const size = `${MAX_ANSWER_BYTES / 1024 / 1024} MiB`;
      throw new AppError('provider_failed', `The answer of ${title} is longer than ${size}. Check the URL ${apiUrl}.`);
    }
    return { status, headers, json: this.#parse(bytes, status) };
  }

  /** Throws what an answer with an error status means. */
  reject({ status, json }: Pick<ApiAnswer, 'status' | 'json'>, permission: Permission): never {
    throw new AppError(codeOfAnswer(status), this.#explain(status, json, permission));
  }

  /** Throws for a used up rate limit. */
  rejectRate({ headers }: Pick<ApiAnswer, 'headers'>): never {
    const { title, nowMs } = this.#parts;
    throw new AppError('provider_busy', describeRateLimit(title, headers, nowMs()));
  }

  /** Throws for an answer whose contents have another form than the documentation of the provider says. */
  rejectForm(what: string): never {
    const { title, apiUrl } = this.#parts;
    throw new AppError('provider_failed', `The answer of ${title} has no ${what}. Check the URL ${apiUrl}.`);
  }

  /** Texts of a provider for an error: one line, and none of the secrets. */
  quote(texts: readonly unknown[]): string {
    const said = texts.filter((part) => typeof part === 'string' && part !== '').join('; ');
    const isSecret = this.#parts.secrets.some((secret) => said.includes(secret.reveal()));
    if (isSecret) return 'its text is not shown, because it contains a secret';
    const text = escapeText(said);
    return text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text;
  }

  async #exchange(method: OutboundCall['method'], path: string, body: unknown) {
    const { apiUrl, authorization, userAgent } = this.#parts;
    const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const headers: Record<string, string> = {
      Accept: 'application/json',
      Authorization: authorization,
      'User-Agent': userAgent,
      ...(bytes === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) }),
    };
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const call = { method, url: `${apiUrl}${path}`, headers, body: bytes };
    const response = await sendRequest(call, { signal, connections: this.#connections });
    return { ...response, bytes: await readWhole(response.body, MAX_ANSWER_BYTES) };
  }

  #parse(bytes: Buffer, status: number): unknown {
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch {
      if (status >= 400) return undefined;
      const { title, apiUrl } = this.#parts;
      throw new AppError('provider_failed', `The answer of ${title} is not JSON. Check the URL ${apiUrl}.`);
    }
  }

  #explain(status: number, json: unknown, { target, needs }: Permission): string {
    const { title } = this.#parts;
    const said = this.quote(listMessages(json));
    if (status === 401) return `${title} rejected the token. Use a valid token with ${needs}.`;
    if (status === 403) return `${title} does not let the token manage webhooks of ${target}. It needs ${needs}.`;
    if (status === 404) return `${title} shows no webhooks of ${target}. Check the name; the token needs ${needs}.`;
    if (status >= 500)
      return `${title} failed with ${status}${said === '' ? '' : `: ${said}`}. Repeat the request later.`;
    return `${title} rejected the request${said === '' ? ` with ${status}` : `: ${said}`}.`;
  }
}

/** The kind of a failure, by the status of an answer. */
function codeOfAnswer(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'provider_denied';
  if (status === 404) return 'provider_target_unknown';
  return status >= 500 ? 'provider_busy' : 'provider_failed';
}

function unreachable({ title, apiUrl }: ProviderApiParts, why: string, isUnknown: boolean): AppError {
  const outcome = isUnknown
    ? ' The change may have been made, so check the webhook before you repeat the request.'
    : '';
  return new AppError('provider_unreachable', `${title} could not be reached at ${apiUrl}: ${why}.${outcome}`);
}

function shorten(path: string): string {
  return path.split('?', 1)[0]!;
}

/** The texts of an error in the forms of GitHub, GitLab and GraphQL. */
function listMessages(json: unknown): unknown[] {
  if (typeof json === 'string') return [json];
  if (Array.isArray(json)) return json.flatMap(listMessages);
  if (typeof json !== 'object' || json === null) return [];
  const { message, error, errors } = json as Record<string, unknown>;
  const nested = typeof message === 'object' ? listFields(message) : [message];
  return [...nested, error, ...listMessages(errors)];
}

/** GitLab: the messages of each field. */
function listFields(message: unknown): unknown[] {
  return Object.entries(message ?? {}).map(([field, texts]) => `${field} ${[texts].flat().join(', ')}`);
}

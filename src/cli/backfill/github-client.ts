import { messageOf } from '../../domain/errors.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliContext } from '../context.ts';
import { CliError, codeOfStatus } from '../exit-codes.ts';

const TIMEOUT_MS = 30_000;
/** GitHub sends payloads of up to 25 MB. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** Attempts of one request: after a rate limit, a broken connection, or an error of GitHub. */
const MAX_ATTEMPTS = 5;
/** A longer wait is the decision of a person. */
const MAX_WAIT_MS = 15 * 60_000;
const FIRST_RETRY_MS = 1_000;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** An answer of the API of GitHub. */
interface GithubAnswer {
  /** JSON, with the exact bytes that GitHub sent. */
  bytes: Buffer;
  /** `cursor` of the next page; `null` on the last page. */
  nextCursor: string | null;
}

interface ClientParts {
  apiUrl: string;
  token: string;
  context: Pick<CliContext, 'sleep' | 'clock' | 'stderr'>;
}

/** Reads the REST API of GitHub with a token, and respects its rate limits. */
export class GithubClient {
  readonly #parts: ClientParts;

  /** Throws `CliError` if the token would be sent over plain HTTP. */
  constructor(parts: ClientParts) {
    const { protocol, hostname } = new URL(parts.apiUrl);
    if (protocol !== 'https:' && !LOOPBACK.has(hostname)) {
      throw new CliError(`The token must not be sent to ${escapeText(parts.apiUrl)} without encryption.`, {
        hint: 'Use an https URL for --api-url.',
      });
    }
    this.#parts = parts;
  }

  /** @param path below the URL of the API, with its query */
  async get(path: string): Promise<GithubAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#request(path);
      if (answer.status === 200) return { bytes: answer.bytes, nextCursor: readNextCursor(answer.headers.link) };
      const waitMs = this.#findWait(answer, attempt);
      if (waitMs === null || attempt === MAX_ATTEMPTS) throw explainFailure(path, answer);
      if (waitMs > MAX_WAIT_MS) throw explainLimit(this.#parts.context.clock.wallMs() + waitMs);
      if (waitMs >= 10_000) {
        this.#parts.context.stderr.write(`Waiting ${Math.ceil(waitMs / 1000)} s for the rate limit of GitHub…\n`);
      }
      await this.#parts.context.sleep(waitMs);
    }
  }

  async #request(path: string): Promise<RawAnswer> {
    const { apiUrl, token } = this.#parts;
    const { request } = await import('undici');
    try {
      const { statusCode, headers, body } = await request(`${apiUrl}${path}`, {
        headers: {
          accept: 'application/vnd.github+json',
          authorization: `Bearer ${token}`,
          'user-agent': 'dockbell',
          'x-github-api-version': '2022-11-28',
        },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: statusCode, headers: flatten(headers), bytes: await readBytes(body) };
    } catch (error) {
      return { status: 0, headers: {}, bytes: Buffer.from(messageOf(error)) };
    }
  }

  /** Milliseconds to wait before the next attempt; `null` if another attempt would fail too. */
  #findWait({ status, headers }: RawAnswer, attempt: number): number | null {
    const retryMs = FIRST_RETRY_MS * 2 ** (attempt - 1);
    if (status === 0 || status >= 500) return retryMs;
    if (status !== 403 && status !== 429) return null;
    const seconds = Number(headers['retry-after'] ?? Number.NaN);
    if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
    const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN);
    if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset)) {
      return Math.max(FIRST_RETRY_MS, reset * 1000 - this.#parts.context.clock.wallMs());
    }
    return status === 429 ? 60_000 : null;
  }
}

interface RawAnswer {
  /** 0 without an answer: `bytes` is then the reason. */
  status: number;
  headers: { [name: string]: string };
  bytes: Buffer;
}

function flatten(headers: Record<string, string | string[] | undefined>): RawAnswer['headers'] {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), String(value)] as const],
  );
  return Object.fromEntries(entries);
}

async function readBytes(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error(`the answer is longer than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Only the cursor is used, so that the token is never sent to another host. */
function readNextCursor(link: string | undefined): string | null {
  const next = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1];
  if (next === undefined || !URL.canParse(next)) return null;
  return new URL(next).searchParams.get('cursor');
}

function explainLimit(resetAt: number): CliError {
  return new CliError(`The rate limit of GitHub is used up until ${new Date(resetAt).toISOString()}.`, {
    code: 'too_many_requests',
    hint: 'Run the command again after that time. It continues with what is still missing.',
  });
}

const HINTS: { readonly [status: number]: string } = {
  401: 'Set DOCKBELL_CONNECT_TOKEN to a valid token.',
  403: 'The token needs the permission to read webhooks.',
  404: 'Check the name. The token needs the permission to read webhooks: the scope read:repo_hook, or admin:org_hook for an organization.',
};

function explainFailure(path: string, { status, bytes }: RawAnswer): CliError {
  if (status === 0) return new CliError(`No answer from GitHub: ${bytes.toString('utf8')}.`, { code: 'unreachable' });
  const route = path.split('?')[0]!;
  const code = status === 404 ? 'not_found' : codeOfStatus(status);
  return new CliError(`GitHub answered ${status} to GET ${route}.`, {
    code,
    hint: HINTS[status] ?? 'Try again later.',
  });
}

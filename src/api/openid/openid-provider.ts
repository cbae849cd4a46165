import type { CustomFetch } from 'openid-client';
import * as client from 'openid-client';
import { AppError, messageOf } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { type Claims, readClaim } from './map-claims.ts';

/** How the provider knows us, and we it. */
export interface ProviderSettings {
  issuer: string;
  clientId: string;
  /** `null` for a public client. */
  clientSecret: string | null;
  scopes: readonly string[];
  groupsClaim: string;
}

/** What talking to the provider takes. */
export interface ProviderParts {
  /** Where the provider sends browsers back to. */
  redirectUri(): string;
  clock: Pick<Clock, 'monotonicMs'>;
  /** How long the provider may take for one answer; 10 seconds where absent. */
  timeoutSeconds?: number;
}

/** What a sign-in that was begun has to be finished with. All of it stays in the browser that began it. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/**
 * Why a sign-in at the provider failed: it said no, it cannot be reached, what it said does not hold, or too many
 * people sign in at this moment.
 */
export type ProviderFailure = 'denied' | 'provider_unavailable' | 'invalid_answer' | 'too_many';

/** `problem` is for the log of the daemon. */
type ProviderRejection = { ok: false; reason: ProviderFailure; problem: string };

type ProviderAnswer = { ok: true; claims: Claims } | ProviderRejection;

/** Sign-in at one OpenID provider: authorization code with PKCE, state and nonce. */
export interface OpenIdProvider {
  /** Where to send the browser. */
  begin(): Promise<{ ok: true; url: string; pending: PendingSignIn } | ProviderRejection>;
  /** @param query the query with which the browser came back, `?` included */
  finish(query: string, pending: PendingSignIn): Promise<ProviderAnswer>;
}

const TIMEOUT_SECONDS = 10;
/** By how much the clock of the provider may differ from ours. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** Sign-ins that call the provider concurrently, and that wait for it. Anyone can start them. */
const CONCURRENCY = 8;
const MAX_WAITING = 40;

/** The provider is asked for its endpoints when the first person signs in: the daemon starts while it is down. */
export function createOpenIdProvider(settings: ProviderSettings, parts: ProviderParts): OpenIdProvider {
  const discover = rememberDiscovery(settings, parts);
  const queue = new TaskQueue({
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    tooMany: 'Too many people sign in now.',
  });
  return {
    begin: () =>
      answer(async () => {
        const configuration = await discover();
        const codeVerifier = client.randomPKCECodeVerifier();
        const pending = { state: client.randomState(), nonce: client.randomNonce(), codeVerifier };
        const url = client.buildAuthorizationUrl(configuration, {
          redirect_uri: parts.redirectUri(),
          scope: settings.scopes.join(' '),
          code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          state: pending.state,
          nonce: pending.nonce,
        });
        return { ok: true as const, url: url.href, pending };
      }),
    finish: (query, pending) =>
      runQueued(queue, async () => {
        const configuration = await discover();
        const tokens = await client.authorizationCodeGrant(configuration, new URL(`${parts.redirectUri()}${query}`), {
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          pkceCodeVerifier: pending.codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims() as unknown as Claims;
        const more = await findMissingGroups(configuration, settings, tokens.access_token, claims);
        return { ok: true as const, claims: { ...more, ...claims } };
      }),
  };
}

/** Endpoints and algorithms rarely change. Keys are fetched again automatically if one is unknown. */
const DISCOVERY_AGE_MS = 60 * 60_000;
/** A provider that is down is not called more often than this, regardless of the number of sign-ins. */
const FAILED_DISCOVERY_AGE_MS = 5000;

function rememberDiscovery(settings: ProviderSettings, parts: ProviderParts): () => Promise<client.Configuration> {
  let known: { configuration: Promise<client.Configuration>; untilMs: number } | null = null;
  return () => {
    if (known !== null && parts.clock.monotonicMs() < known.untilMs) return known.configuration;
    const asked = { configuration: discoverProvider(settings, parts), untilMs: Number.POSITIVE_INFINITY };
    const keepFor = (ageMs: number) => {
      asked.untilMs = parts.clock.monotonicMs() + ageMs;
    };
    asked.configuration.then(
      () => keepFor(DISCOVERY_AGE_MS),
      () => keepFor(FAILED_DISCOVERY_AGE_MS),
    );
    known = asked;
    return asked.configuration;
  };
}

async function discoverProvider(
  { issuer, clientId, clientSecret }: ProviderSettings,
  { timeoutSeconds = TIMEOUT_SECONDS }: ProviderParts,
): Promise<client.Configuration> {
  const url = new URL(issuer);
  const metadata = { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  // The signature is checked although the daemon itself fetched the ID token: a proxy may be in between.
  const checks = [client.enableNonRepudiationChecks];
  // The configuration allows http for this machine itself only.
  const execute = url.protocol === 'http:' ? [...checks, client.allowInsecureRequests] : checks;
  const options = { timeout: timeoutSeconds, execute, [client.customFetch]: fetchShort };
  const configuration = await client.discovery(url, clientId, metadata, authenticateBy(clientSecret), options);
  requireSameIssuer(configuration.serverMetadata().issuer, url);
  return configuration;
}

/**
 * Throws if the names differ. The library accepts the addresses for all tenants of Microsoft, whose administrators
 * could name any group.
 */
export function requireSameIssuer(issuer: string, expected: URL): void {
  if (URL.canParse(issuer) && new URL(issuer).href === expected.href) return;
  throw new Error(`the provider calls itself ${issuer}: write that as admin.oidc.issuer`);
}

/** In the body of the request if the provider supports that, otherwise in its header, which every provider has to support. */
function authenticateBy(clientSecret: string | null): client.ClientAuth {
  if (clientSecret === null) return client.None();
  const [inBody, inHeader] = [client.ClientSecretPost(clientSecret), client.ClientSecretBasic(clientSecret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    return (methods.includes('client_secret_post') ? inBody : inHeader)(server, ...rest);
  };
}

/** Some providers tell the groups to who asks for the user info only. */
async function findMissingGroups(
  configuration: client.Configuration,
  { groupsClaim }: ProviderSettings,
  accessToken: string,
  claims: Claims,
): Promise<JsonObject> {
  const isMissing = readClaim(claims, groupsClaim) === undefined;
  if (!isMissing || configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return (await client.fetchUserInfo(configuration, accessToken, claims.sub)) as unknown as JsonObject;
}

async function runQueued<T extends { ok: true }>(
  queue: TaskQueue,
  work: () => Promise<T>,
): Promise<T | ProviderRejection> {
  try {
    return await queue.run(() => answer(work));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too_many_requests') throw error;
    return { ok: false, reason: 'too_many', problem: error.message };
  }
}

async function answer<T extends { ok: true }>(work: () => Promise<T>): Promise<T | ProviderRejection> {
  try {
    return await work();
  } catch (error) {
    return { ok: false, reason: classifyFailure(error), problem: describeFailure(error) };
  }
}

const PASSING_ERRORS = ['server_error', 'temporarily_unavailable'];

function classifyFailure(error: unknown): ProviderFailure {
  if (error instanceof client.AuthorizationResponseError) {
    if (error.error === 'access_denied') return 'denied';
    return PASSING_ERRORS.includes(error.error) ? 'provider_unavailable' : 'invalid_answer';
  }
  return isUnreachable(error) ? 'provider_unavailable' : 'invalid_answer';
}

/** No response is a network failure, which `fetch` reports as a `TypeError` without a code. */
function isUnreachable(error: unknown): boolean {
  const { cause, code, status } = error as { cause?: unknown; code?: unknown; status?: unknown };
  const isTimeout = code === 'OAUTH_TIMEOUT' || (error instanceof Error && error.name === 'TimeoutError');
  if (isTimeout || (error instanceof TypeError && code === undefined)) return true;
  const answered = cause instanceof Response ? cause.status : status;
  return typeof answered === 'number' && answered >= 500;
}

const MAX_PROBLEM_CHARACTERS = 500;

/** For the daemon's log: never the answer itself, which may hold tokens. */
function describeFailure(error: unknown): string {
  const { code, error: reason, error_description: description, cause } = error as Record<string, unknown>;
  const network = error instanceof TypeError && code === undefined && cause !== undefined ? messageOf(cause) : null;
  return [messageOf(error), network, code, reason, description]
    .filter((part) => typeof part === 'string')
    .join('; ')
    .slice(0, MAX_PROBLEM_CHARACTERS);
}

/** Discovery documents, keys, tokens and claims are a few kilobytes. */
const MAX_BYTES = 1_048_576;

/** As `fetch`, for short answers: throws where one is longer than a megabyte, before it is all in memory. */
const fetchShort: CustomFetch = async (url, { body, ...options }) => {
  // The library's type of the body is wider than that of Node.js; what it sends are forms.
  const response = await fetch(url, { ...options, body: body as RequestInit['body'] });
  const bytes = await readShort(response);
  const { status, statusText, headers } = response;
  return new Response(bytes.length === 0 ? null : bytes, { status, statusText, headers });
};

async function readShort({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

import { createHash, createHmac, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Faults of the provider, and its claims about the user. */
interface ProviderScript {
  /** Additional claims of the ID token. */
  claims: Record<string, unknown>;
  /** Claims that only the user info contains. */
  userInfo: Record<string, unknown>;
  /** Replaces the requested nonce. */
  nonce: string | null;
  /** Seconds until the ID token expires. */
  expiresIn: number;
  /** Replaces its issuer. */
  issuer: string | null;
  audience: string;
  /** Signs with an unpublished key. */
  signsWithOtherKey: boolean;
  /** Responds with 500 to all requests except the authorization. */
  isBroken: boolean;
  /** Accepts requests for this path and never responds. */
  hangsAt: string | null;
  /** Replaces the response at this path. */
  answers: Record<string, string>;
  /** The redirect parameters instead of a code. */
  error: string | null;
  /** Algorithm of the ID token instead of RS256. `none` omits the signature, `HS256` signs with the public key. */
  algorithm: 'RS256' | 'none' | 'HS256';
  /** Accepts a code more than once. */
  takesCodesTwice: boolean;
  /** How clients authenticate. */
  authMethod: 'client_secret_post' | 'client_secret_basic' | 'none';
  /** Replaces its issuer in the redirect (RFC 9207). */
  mixedUpWith: string | null;
}

/** A small OpenID provider on loopback: discovery, keys, authorization, tokens with PKCE, user info. */
export interface TestProvider {
  issuer: string;
  script: ProviderScript;
  /** The requested paths. */
  seen: string[];
  close(): Promise<void>;
}

export const CLIENT_ID = 'dockbell';
export const CLIENT_SECRET = 'a client secret';

interface Grant {
  nonce: string;
  challenge: string;
  redirectUri: string;
}

const KEY_ID = 'key-1';

let keys: { own: Keys; other: Keys } | null = null;

/** @param host can be `localhost`, which browsers treat as another site than 127.0.0.1 */
export async function startOidcProvider(host: '127.0.0.1' | 'localhost' = '127.0.0.1'): Promise<TestProvider> {
  // Generating keys is slow, and tests do not depend on them.
  keys ??= { own: createKeys(), other: createKeys() };
  const { own, other } = keys;
  const grants = new Map<string, Grant>();
  const script: ProviderScript = {
    claims: {},
    userInfo: {},
    nonce: null,
    expiresIn: 300,
    issuer: null,
    audience: CLIENT_ID,
    signsWithOtherKey: false,
    isBroken: false,
    hangsAt: null,
    answers: {},
    error: null,
    algorithm: 'RS256',
    takesCodesTwice: false,
    authMethod: 'client_secret_post',
    mixedUpWith: null,
  };
  const seen: string[] = [];
  let issuer = '';

  const endpoints: Record<string, (asked: Asked, response: ServerResponse) => void> = {
    '/.well-known/openid-configuration': (_asked, response) =>
      sendJson(response, describeProvider(issuer, script.authMethod)),
    '/jwks': (_asked, response) =>
      sendJson(response, {
        keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }],
      }),
    '/authorize': ({ url: { searchParams: asked } }, response) => {
      const back = new URL(asked.get('redirect_uri')!);
      back.searchParams.set('state', asked.get('state')!);
      back.searchParams.set('iss', script.mixedUpWith ?? issuer);
      if (script.error !== null) back.searchParams.set('error', script.error);
      else {
        const code = randomBytes(16).toString('base64url');
        const challenge = asked.get('code_challenge_method') === 'S256' ? asked.get('code_challenge')! : '';
        grants.set(code, { nonce: asked.get('nonce')!, challenge, redirectUri: asked.get('redirect_uri')! });
        back.searchParams.set('code', code);
      }
      response.writeHead(302, { location: back.href }).end();
    },
    '/token': (asked, response) => {
      const grant = isClient(asked, script.authMethod) ? takeGrant(grants, asked.body, script) : null;
      if (grant === null) return sendJson(response, { error: 'invalid_grant' }, 400);
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: script.issuer ?? issuer,
        aud: script.audience,
        sub: 'subject-1',
        nonce: script.nonce ?? grant.nonce,
        iat: now + Math.min(0, script.expiresIn),
        exp: now + script.expiresIn,
        ...script.claims,
      };
      const idToken = signToken(claims, script.algorithm, script.signsWithOtherKey ? other : own);
      sendJson(response, { access_token: 'an access token', token_type: 'Bearer', expires_in: 300, id_token: idToken });
    },
    '/userinfo': ({ authorization }, response) =>
      authorization === 'Bearer an access token'
        ? sendJson(response, { sub: 'subject-1', ...script.userInfo })
        : sendJson(response, {}, 401),
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, issuer);
    seen.push(url.pathname);
    const body = new URLSearchParams(await readText(request));
    if (script.hangsAt === url.pathname) return;
    if (script.isBroken && url.pathname !== '/authorize') return sendJson(response, {}, 500);
    const instead = script.answers[url.pathname];
    if (instead !== undefined) return void response.writeHead(200, { 'content-type': 'application/json' }).end(instead);
    const asked = { url, body, authorization: request.headers.authorization };
    (endpoints[url.pathname] ?? (() => response.writeHead(404).end()))(asked, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { issuer, script, seen, close };
}

interface Keys {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

/** A request to an endpoint. */
interface Asked {
  url: URL;
  body: URLSearchParams;
  authorization: string | undefined;
}

function createKeys(): Keys {
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function describeProvider(issuer: string, authMethod: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: [authMethod],
  };
}

function isClient({ body, authorization }: Asked, authMethod: string): boolean {
  if (authMethod === 'client_secret_basic') {
    const credentials = Buffer.from(`${CLIENT_ID}:${encodeURIComponent(CLIENT_SECRET).replaceAll('%20', '+')}`);
    return authorization === `Basic ${credentials.toString('base64')}`;
  }
  const secret = authMethod === 'none' ? null : CLIENT_SECRET;
  return body.get('client_id') === CLIENT_ID && body.get('client_secret') === secret;
}

/** Works once, and only with the right verifier and redirect URI. */
function takeGrant(grants: Map<string, Grant>, body: URLSearchParams, script: ProviderScript): Grant | null {
  const grant = grants.get(body.get('code') ?? '');
  if (!script.takesCodesTwice) grants.delete(body.get('code') ?? '');
  const verifier = body.get('code_verifier') ?? '';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const fits = grant?.challenge === challenge && grant.redirectUri === body.get('redirect_uri');
  return grant !== undefined && fits ? grant : null;
}

function signToken(claims: object, alg: ProviderScript['algorithm'], { publicKey, privateKey }: Keys): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg, kid: KEY_ID, typ: 'JWT' })}.${encode(claims)}`;
  if (alg === 'none') return `${signed}.`;
  if (alg === 'RS256') return `${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`;
  const known = publicKey.export({ type: 'spki', format: 'pem' });
  return `${signed}.${createHmac('sha256', known).update(signed).digest('base64url')}`;
}

function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

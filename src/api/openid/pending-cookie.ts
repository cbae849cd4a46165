import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RandomBytes } from '../../domain/ids.ts';
import { isOverTls } from '../sessions/session-cookie.ts';
import type { PendingSignIn } from './openid-provider.ts';

const SECURE_NAME = '__Host-dockbell-oidc';
const PLAIN_NAME = 'dockbell-oidc';
/** How long somebody may take at the provider. */
const MAX_AGE_SECONDS = 600;
const TEXT = /^([\w-]{20,100})\.([\w-]{20,100})\.([\w-]{20,200})\.(\d{1,15})\.([\w-]{1,4000})\.([\w-]{43})$/;
/** Sign-ins that came back and are remembered as such; the oldest are forgotten first. */
const MAX_USED = 10_000;

/** A sign-in that is in progress at the provider, and the path to open afterwards. */
interface PendingVisit extends PendingSignIn {
  returnTo: string;
}

/** Keeps sign-ins in the browsers that began them. */
interface PendingCookie {
  write(request: FastifyRequest, reply: FastifyReply, pending: PendingVisit): void;
  /**
   * The sign-in that this browser started; `null` if none exists, or if it is of another process or has expired. Each
   * is given out once, and the browser forgets it.
   */
  take(request: FastifyRequest, reply: FastifyReply): PendingVisit | null;
}

/**
 * Who comes back in another browser, or was sent by somebody else, has no such cookie. It is signed under a key of this
 * process, so that nobody makes one up.
 */
export function createPendingCookie(
  randomBytes: RandomBytes,
  { adminUrl, nowMs }: { adminUrl(): string; nowMs(): number },
): PendingCookie {
  const key = randomBytes(32);
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  const isNew = createMemory();
  const set = (request: FastifyRequest, reply: FastifyReply, text: string, maxAge: number) => {
    const secure = isOverTls(request, adminUrl());
    // Lax, since the browser comes back from another site.
    const flags = { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge } as const;
    void reply.setCookie(secure ? SECURE_NAME : PLAIN_NAME, text, flags);
  };
  return {
    write: (request, reply, { state, nonce, codeVerifier, returnTo }) => {
      const text = [state, nonce, codeVerifier, nowMs(), Buffer.from(returnTo).toString('base64url')].join('.');
      set(request, reply, `${text}.${sign(text)}`, MAX_AGE_SECONDS);
    },
    take: (request, reply) => {
      const name = isOverTls(request, adminUrl()) ? SECURE_NAME : PLAIN_NAME;
      const text = request.server.parseCookie(request.headers.cookie ?? '')[name];
      if (text === undefined) return null;
      set(request, reply, '', 0);
      const pending = parse(text, sign, nowMs());
      return pending !== null && isNew(pending.state) ? pending : null;
    },
  };
}

function parse(text: string, sign: (text: string) => string, nowMs: number): PendingVisit | null {
  const [, state, nonce, codeVerifier, at, path, signature] = TEXT.exec(text) ?? [];
  if (signature === undefined) return null;
  const expected = sign(text.slice(0, -signature.length - 1));
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return null;
  if (nowMs - Number(at) >= MAX_AGE_SECONDS * 1000) return null;
  const returnTo = Buffer.from(path!, 'base64url').toString();
  return { state: state!, nonce: nonce!, codeVerifier: codeVerifier!, returnTo };
}

/** Returns `true` once for each text: not every provider rejects a code that is used twice. */
function createMemory(): (text: string) => boolean {
  const used = new Set<string>();
  return (text) => {
    if (used.has(text)) return false;
    used.add(text);
    if (used.size > MAX_USED) used.delete(used.values().next().value!);
    return true;
  };
}

import type { LoginLink } from '../../domain/access/access.ts';
import type { IdSource, RandomBytes } from '../../domain/ids.ts';
import type { LoginLinkTable } from '../../domain/ports/access.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { CLOCK_TOLERANCE_MS } from '../../domain/time/steady-clock.ts';
import { createCredential, hashCredential } from '../../platform/secrets/credential.ts';

/** Lifetime of a link. A requested link is used immediately; the link of a start may wait for a person. */
const LIFETIMES_MS: Readonly<Record<LoginLink['origin'], number>> = {
  request: 15 * 60_000,
  start: 24 * 60 * 60_000,
};

const LOGIN_TOKEN = /^dbl_[A-Za-z0-9_-]{43}$/;

export interface LoginLinkParts {
  loginLinks: LoginLinkTable;
  adminUrl(): string;
  clock: Clock;
  ids: IdSource;
  randomBytes: RandomBytes;
}

/**
 * Makes a link that signs its bearer in as an owner, once. The token is its fragment, which no browser sends and no
 * server or proxy logs (threat model W2).
 */
export async function createLoginLink(
  parts: LoginLinkParts,
  origin: LoginLink['origin'],
): Promise<{ link: LoginLink; url: string }> {
  const now = parts.clock.wallMs();
  const token = createCredential('dbl_', parts.randomBytes);
  const link = { id: parts.ids.loginLinkId(now), origin, createdAt: now, expiresAt: now + LIFETIMES_MS[origin] };
  await parts.loginLinks.insert(link, hashCredential(token));
  return { link, url: `${parts.adminUrl()}/login#token=${token}` };
}

/** Uses a login token. `null` if it is invalid, was used before, or has expired. */
export async function takeLoginLink(
  { loginLinks, clock }: Pick<LoginLinkParts, 'loginLinks' | 'clock'>,
  token: string,
): Promise<LoginLink | null> {
  if (!LOGIN_TOKEN.test(token)) return null;
  const now = clock.wallMs();
  const link = await loginLinks.take(hashCredential(token), now);
  // Made by a clock that was wrong, it would be valid for longer than it may be.
  return link !== null && link.createdAt > now + CLOCK_TOLERANCE_MS ? null : link;
}

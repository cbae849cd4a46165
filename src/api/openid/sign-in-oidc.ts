import type { User } from '../../domain/access/access.ts';
import type { IdSource } from '../../domain/ids.ts';
import type { UserTable } from '../../domain/ports/access.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { type ClaimRules, mapClaims } from './map-claims.ts';
import type { OpenIdProvider, PendingSignIn, ProviderFailure } from './openid-provider.ts';

/** Sign-in at an OpenID provider, as it is configured. */
export interface OpenIdSignIn {
  provider: OpenIdProvider;
  rules: ClaimRules;
  /** How people call the provider. */
  label: string;
}

/** Why somebody who came back from the provider is not signed in; the sign-in page has a sentence for each. */
export const OIDC_REJECTIONS = [
  ...(['denied', 'provider_unavailable', 'invalid_answer', 'too_many'] satisfies ProviderFailure[]),
  ...(['expired', 'wrong_domain', 'no_role', 'disabled'] as const),
] as const;
export type OidcRejection = (typeof OIDC_REJECTIONS)[number];

/** `about`: the name of the user, if the provider has confirmed it. `problem` is for the log of the daemon. */
export type OidcOutcome =
  | { ok: true; user: User }
  | { ok: false; reason: OidcRejection; problem: string; about: string | null };

/** The user who came back from the provider, with the role that their groups give them now. */
export async function finishOidcSignIn(
  { provider, rules }: OpenIdSignIn,
  { users, clock, ids }: { users: UserTable; clock: Clock; ids: IdSource },
  query: string,
  pending: PendingSignIn,
): Promise<OidcOutcome> {
  const answer = await provider.finish(query, pending);
  if (!answer.ok) return { ...answer, about: null };
  const { iss: issuer, sub: subject } = answer.claims;
  const mapped = mapClaims(answer.claims, rules);
  const rejected = { ok: false as const, problem: `subject ${subject}`, about: mapped.name };
  if (!mapped.ok) return { ...rejected, reason: mapped.reason };
  const { name, role, factories } = mapped;
  const now = clock.wallMs();
  const user = await users.enterOidc(
    { issuer, subject },
    {
      id: ids.userId(now),
      kind: 'oidc',
      name,
      role,
      factories,
      disabledAt: null,
      createdAt: now,
      lastSignInAt: now,
      passwordChangedAt: null,
    },
  );
  return user === null ? { ...rejected, reason: 'disabled' } : { ok: true, user };
}

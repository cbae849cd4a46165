import type { Role } from '../../domain/access/access.ts';
import { ROLES } from '../../domain/access/access.ts';
import { type JsonObject, readPath } from '../../domain/json.ts';

/** What the provider says about somebody: the claims of the ID token, and of the user info where groups were missing. */
export type Claims = JsonObject & { iss: string; sub: string };

/** What a group may do; `factories` `null` is all of them, also later ones. */
interface GroupRule {
  name: string;
  role: Role;
  factories: readonly string[] | null;
}

/** Who may sign in at the provider, and as what. */
export interface ClaimRules {
  groupsClaim: string;
  groups: readonly GroupRule[];
  /** Role of users who are in none of the groups; `null` if they may not sign in. */
  defaultRole: Role | null;
  allowedDomains: readonly string[];
}

/** What somebody may do here. */
interface Rights {
  role: Role;
  factories: string[] | null;
}

type MappedUser =
  | ({ ok: true; name: string } & Rights)
  /** `wrong_domain`: another e-mail domain, or an address that is not verified. `no_role`: in none of the groups. */
  | { ok: false; reason: 'wrong_domain' | 'no_role'; name: string };

/** What the claims make of somebody here. */
export function mapClaims(claims: Claims, rules: ClaimRules): MappedUser {
  const name = readName(claims);
  if (!isOfAllowedDomain(claims, rules.allowedDomains)) return { ok: false, reason: 'wrong_domain', name };
  const rights = findRights(readGroups(claims, rules.groupsClaim), rules);
  return rights === null ? { ok: false, reason: 'no_role', name } : { ok: true, name, ...rights };
}

/** An unverified address proves nothing. */
function isOfAllowedDomain({ email, email_verified: isVerified }: Claims, domains: readonly string[]): boolean {
  if (domains.length === 0) return true;
  const domain = typeof email === 'string' ? email.slice(email.lastIndexOf('@') + 1).toLowerCase() : '';
  return isVerified === true && domains.includes(domain);
}

function readGroups(claims: Claims, name: string): string[] {
  const value = readClaim(claims, name);
  return [value].flat().filter((group): group is string => typeof group === 'string');
}

/** The claim of that name, otherwise the value at that path; `undefined` if neither exists. */
export function readClaim(claims: JsonObject, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : readPath(claims, name.split('.'));
}

/**
 * The highest role of the groups, for the factories of the groups that have it: an account has one role, and a lower
 * role of more factories must not be raised for them.
 */
function findRights(held: readonly string[], { groups, defaultRole }: ClaimRules): Rights | null {
  const own = groups.filter(({ name }) => held.includes(name));
  const role = ROLES.findLast((each) => own.some((group) => group.role === each));
  if (role === undefined) return defaultRole === null ? null : { role: defaultRole, factories: null };
  const factories = own.filter((group) => group.role === role).map((group) => group.factories);
  const isLimited = factories.every((each) => each !== null);
  return { role, factories: isLimited ? [...new Set(factories.flat())].sort() : null };
}

const MAX_NAME_CHARACTERS = 100;

/** For people to read; what tells users apart is issuer and subject. */
function readName({ preferred_username: short, email, name, sub }: Claims): string {
  const text = [short, email, name].find((each): each is string => typeof each === 'string' && each !== '') ?? sub;
  return [...text].slice(0, MAX_NAME_CHARACTERS).join('');
}

import type { Role } from '../../../core/access.ts';

/** Name and rights as tokens and users have them in their rows. */
export interface RightsRow {
  name: string;
  role: string;
  /** JSON; `null` for all. */
  factories: string | null;
}

/** Reads name and rights. */
export function readRights({ name, role, factories }: RightsRow) {
  return { name, role: role as Role, factories: factories === null ? null : (JSON.parse(factories) as string[]) };
}

/** Names of factories as a row holds them. */
export function writeFactories(factories: string[] | null): string | null {
  return factories === null ? null : JSON.stringify(factories);
}

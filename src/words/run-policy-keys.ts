/** The keys of an automation that say how its runs start, and start again. */
export const RUN_POLICY_KEYS = ['concurrency', 'debounce', 'retry', 'budget', 'runsOn', 'workspace'] as const;
export type RunPolicyKey = (typeof RUN_POLICY_KEYS)[number];

/** The keys of a policy that an automation declares. */
export function pickPolicy<Of extends { readonly [Key in RunPolicyKey]?: unknown }>(
  automation: Of,
): Partial<Pick<Of, RunPolicyKey & keyof Of>> {
  const set = RUN_POLICY_KEYS.filter((key) => automation[key] !== null && automation[key] !== undefined);
  return Object.fromEntries(set.map((key) => [key, automation[key]])) as Partial<Pick<Of, RunPolicyKey & keyof Of>>;
}

/** The keys of an automation that say how its runs start, and start again. */
export const RUN_POLICY_KEYS = ['concurrency', 'debounce', 'retry', 'budget', 'runsOn', 'workspace'] as const;
export type RunPolicyKey = (typeof RUN_POLICY_KEYS)[number];

type ApiName<Key extends RunPolicyKey> = Key extends 'runsOn' ? 'runs_on' : Key;

/** The name of the key in requests and answers of the management API. */
function apiNameOf<Key extends RunPolicyKey>(key: Key): ApiName<Key> {
  return (key === 'runsOn' ? 'runs_on' : key) as ApiName<Key>;
}

/** The keys of a policy that an automation of the management API has, as its definition file declares them. */
export function pickPolicy<Of extends { readonly [Key in RunPolicyKey as ApiName<Key>]: unknown }>(
  automation: Of,
): { [Key in RunPolicyKey]?: NonNullable<Of[ApiName<Key>]> } {
  const set = RUN_POLICY_KEYS.map((key) => [key, automation[apiNameOf(key)]] as const);
  return Object.fromEntries(set.filter(([, value]) => value !== null && value !== undefined)) as {
    [Key in RunPolicyKey]?: NonNullable<Of[ApiName<Key>]>;
  };
}

/** The keys of a definition file as a request of the management API has them. Other keys stay as they are. */
export function nameForApi<Value>(declared: { readonly [key: string]: Value }): { [name: string]: Value } {
  const policy = new Set<string>(RUN_POLICY_KEYS);
  return Object.fromEntries(
    Object.entries(declared).map(([key, value]) => [policy.has(key) ? apiNameOf(key as RunPolicyKey) : key, value]),
  );
}

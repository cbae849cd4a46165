/** A label of a worker, which `runsOn` names. */
export const WORKER_LABEL_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Maximum number of labels of a worker, and of `runsOn`. */
export const MAX_WORKER_LABELS = 20;

/** The labels in the form that is stored and compared: sorted, each once. `null` for none. */
export function normalizeLabels(labels: readonly string[] | null | undefined): string[] | null {
  return labels === null || labels === undefined || labels.length === 0 ? null : [...new Set(labels)].sort();
}

/** Does a worker with these labels get runs that need `runsOn`? */
export function hasAllLabels(labels: readonly string[], runsOn: readonly string[] | null): boolean {
  return runsOn === null || runsOn.every((label) => labels.includes(label));
}

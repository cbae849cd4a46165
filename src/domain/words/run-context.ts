/** What the values of the context of a run are called, in the order in which they are shown. */
const CONTEXT_LABELS = {
  provider: 'Provider',
  event: 'Trigger event',
  provider_event: 'Provider event',
  repository: 'Repository',
  number: 'Number',
  url: 'URL',
  actor: 'Actor',
  commit: 'Commit',
} as const;

export type ContextName = keyof typeof CONTEXT_LABELS;

/** The values of a context with their names in `run.json`. Absent values are omitted. */
export function listContext(
  context: {
    readonly [Name in ContextName]?: string | number;
  },
): { name: ContextName; label: string; text: string }[] {
  return (Object.keys(CONTEXT_LABELS) as ContextName[]).flatMap((name) => {
    const value = context[name];
    return value === undefined ? [] : [{ name, label: CONTEXT_LABELS[name], text: String(value) }];
  });
}

import type { ContextName } from '../words/runs.ts';

/** Length limit of each value that is a text. */
export const MAX_CONTEXT_CHARACTERS = 512;

/** The values of a context, and the environment variables of a command that have them. */
export const CONTEXT_FIELDS: { readonly [Name in ContextName]: { description: string; variable: string } } = {
  provider: { description: 'The provider that the webhook serves, such as `github`.', variable: 'DOCKBELL_PROVIDER' },
  event: {
    description: 'The event of the provider trigger that matched; of several, the first one in the automation file.',
    variable: 'DOCKBELL_TRIGGER_EVENT',
  },
  provider_event: {
    description: 'The name of the event at the provider, such as `issues.labeled`.',
    variable: 'DOCKBELL_PROVIDER_EVENT',
  },
  repository: { description: 'The repository, as the provider names it.', variable: 'DOCKBELL_REPOSITORY' },
  number: {
    description: 'Number or key of the issue or pull request, or channel and thread of a message.',
    variable: 'DOCKBELL_NUMBER',
  },
  url: { description: 'Page of the event at the provider, always https.', variable: 'DOCKBELL_URL' },
  actor: { description: 'Who caused the event.', variable: 'DOCKBELL_ACTOR' },
  commit: { description: 'The full ID of the commit.', variable: 'DOCKBELL_COMMIT' },
};

/**
 * What the provider says about the delivery of a run (provider triggers, section 6), with the names of `run.json`. All values are
 * untrusted texts of the sender: one line, at most 512 characters. A value that the delivery does not have is absent; all are, if
 * the webhook serves no provider.
 */
export type RunContext = { [Name in Exclude<ContextName, 'number'>]?: string } & {
  number?: string | number;
  /** The events of all provider triggers of the automation that matched, in the order of the file. */
  events?: string[];
};

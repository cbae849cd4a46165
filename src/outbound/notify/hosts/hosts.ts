import type { GitHostApi } from './git-host-api.ts';
import { GITHUB } from './github.ts';
import { GITLAB } from './gitlab.ts';

/** The hosts whose pull or merge requests are checked. */
export const REQUEST_HOSTS = { github: GITHUB, gitlab: GITLAB } as const satisfies Readonly<Record<string, GitHostApi>>;

export type RequestHostType = keyof typeof REQUEST_HOSTS;

import type { ConnectProvider } from '../../domain/ports/webhook-connector.ts';
import type { HookProvider } from './hook-provider.ts';
import { GITHUB } from './providers/github.ts';
import { GITLAB } from './providers/gitlab.ts';
import { LINEAR } from './providers/linear.ts';

/** Every provider with an API for webhooks. */
export const HOOK_PROVIDERS: Readonly<Record<ConnectProvider, HookProvider>> = {
  github: GITHUB,
  gitlab: GITLAB,
  linear: LINEAR,
};

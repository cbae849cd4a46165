import type { WebhookDefinition } from '../../domain/definitions/definition.ts';
import type { AgentNames } from './check-agent-names.ts';

/** What the rules across files look names up in. */
export interface References {
  /** Names of all webhooks that the tree declares, also of those whose files are wrong. */
  declared: ReadonlySet<string>;
  /** Those that could be read. */
  webhooks: ReadonlyMap<string, WebhookDefinition>;
  /** As in `FactoryDefinition`. */
  repositories: readonly string[] | null;
  /** Name of a webhook that has been applied → its UID. */
  knownUids: ReadonlyMap<string, string>;
  /** The same the other way round. */
  namesByUid: ReadonlyMap<string, string>;
  agentNames: AgentNames;
}

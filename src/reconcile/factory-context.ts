import type { ValidatedTree, ValidationContext } from '../definitions/check/check-definition.ts';
import type { FileResults } from '../definitions/file-results.ts';
import type { Actor } from '../domain/access/access.ts';
import type { SourceTree } from '../domain/definitions/source-tree.ts';
import type { IdSource } from '../domain/ids.ts';
import type { Serving } from '../domain/ports/definitions.ts';
import type { Inventory } from '../domain/ports/inventory.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { DefinitionSource, HostedSource } from '../domain/ports/sources.ts';
import type { OnTimedPass } from '../domain/ports/tracing.ts';
import type { StoredTraceContext } from '../domain/telemetry/trace-context.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { FactoryState } from './factory-state.ts';

/** One factory and what reconciling it needs. */
export interface FactoryContext {
  name: string;
  source: DefinitionSource;
  /** The same source, where the service hosts the definition itself and can edit it; `null` where a repository decides. */
  hosted: HostedSource | null;
  /** Names the place that `source` reads; another place at the same commit is another definition. */
  sourceKey: string;
  hasExecutor: boolean;
  /** The webhook that is to tell of pushes; `null` where the source names none. */
  pushWebhook: string | null;
  /** What the loop remembers of the factory. */
  state: FactoryState;
  inventory: Omit<Inventory, 'apply'>;
  secrets: SecretStore;
  /** Validates a tree; only files without a kept result are read, in a thread with limits (threat model G4). */
  validate(tree: SourceTree, context: ValidationContext, results: FileResults): Promise<ValidatedTree>;
  webhooksPerFactory: number;
  serving: Serving;
  onTimedPass: OnTimedPass;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
}

/** Why a pass runs. A routine one (poll, change of the branch) does not look at a commit again that was found invalid. */
export type PassTrigger = 'routine' | 'asked';

/** How a pass is asked for. */
export interface PassOrder {
  trigger: PassTrigger;
  /** Aborted when the daemon stops. Later failures are not caused by the definition and are not recorded. */
  stopping: AbortSignal;
  /** Who edited the definition; omitted for a pass of the loop. */
  actor?: Actor;
  /** As in `TimedPass`. */
  pushes?: readonly StoredTraceContext[];
  /** As in `ExaminationOptions`. */
  renewSecretsOf?: ReadonlySet<string>;
}

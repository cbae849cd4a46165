/**
 * `unknown`: no factory has this name. `running`: `count` of its runs have not ended. `ok`: `cancelledRuns` of its runs
 * were queued.
 */
export type ForgetOutcome =
  | { kind: 'ok'; cancelledRuns: number }
  | { kind: 'unknown' }
  | { kind: 'running'; count: number };

/**
 * `unknown`: no factory has the old name. `in_use`: these webhooks of the new name have deliveries, and their URLs would
 * end. `defined`: the new name has a definition that only Dockbell stores.
 */
export type RenameOutcome =
  | { kind: 'ok' }
  | { kind: 'unknown' }
  | { kind: 'in_use'; webhooks: string[] }
  | { kind: 'defined' };

/** A renaming in the storage. */
export interface RenameOrder {
  from: string;
  /** A registered factory. */
  to: string;
  /** Does the service host the definition of `to`? Otherwise, a repository contains it. */
  isHosted: boolean;
  at: number;
}

/** The folders of a factory that are still to be moved, or removed if `movedTo` is `null`. */
export interface FolderChange {
  factory: string;
  movedTo: string | null;
}

/** Ends and renames factories that the configuration does not name. Each operation is one transaction. */
export interface FactoryNames {
  /**
   * Deletes the webhooks and automations of a factory and cancels its queued runs. No list names the factory afterwards. A
   * factory that gets this name later begins empty. Deliveries and ended runs stay until retention removes them.
   */
  forget(factory: string, at: number): Promise<ForgetOutcome>;
  /**
   * Everything that `from` applied, received and executed belongs to `to`, with the same UIDs, and replaces what `to`
   * applied. Webhooks that only `to` has stay. The limits of tokens and users name `to`.
   */
  rename(order: RenameOrder): Promise<RenameOutcome>;
  /** What an operation left to do in the data directory. */
  folderChanges(): Promise<FolderChange[]>;
  /** The change of the folders of this factory is done. */
  noteFolderChange(factory: string): Promise<void>;
}

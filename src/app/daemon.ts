import type { JsonObject } from '../domain/json.ts';
import type { ReconcileControl } from '../domain/ports/definitions.ts';
import type { StartRecords } from '../domain/ports/executor.ts';
import type { InventoryReader } from '../domain/ports/inventory.ts';
import type { ReloadControl } from '../domain/ports/operations.ts';
import type { SecretHistory, SecretStore } from '../domain/ports/secret-store.ts';
import type { Run } from '../domain/resources/run.ts';
import type { Environment } from '../domain/runs/reserved-variables.ts';
import type { ServiceNotifier } from '../operations/systemd/service-notifier.ts';
import type { DaemonEnd } from './end-daemon.ts';

/** Where the log goes. */
interface LogTarget {
  format: 'json' | 'text';
  /** Takes whole lines, for example `process.stdout`. */
  destination: { write(line: string): unknown };
}

export interface DaemonOptions {
  /** Path of `dockbell.yaml`; `null` for none. */
  configFile: string | null;
  /** Wins over `dataDir` of the configuration. */
  dataDir?: string;
  /** Further keys that win over the configuration, as the file would write them. */
  overrides?: JsonObject;
  /** Reads the files of local repositories as they are saved, not as they are committed. Default: no. */
  readsWorkTrees?: boolean;
  env: Environment;
  log: LogTarget;
  /** Creates what stores the start records of runs; files in the data directory if omitted. */
  openStartRecords?: (dir: string) => StartRecords;
  /** Called after the secrets are open and before the first reconciliation. */
  beforeWork?: (secrets: SecretStore & SecretHistory) => Promise<void>;
  /** Starts in the state that `dockbell drain` sets: no run starts. */
  noNewRuns?: boolean;
  /** Called for every run that has ended. */
  onRunEnded?: (run: Run) => void;
}

/** A running daemon. */
export interface Daemon extends DaemonEnd {
  /** Is this the first start on this data directory? */
  isFirstStart: boolean;
  /** A login link for the person who started the daemon. It replaces the one before. */
  createStartLink(): Promise<string>;
  ingressUrl: string;
  adminUrl: string;
  /** Names of the factories in the configuration. */
  factories: readonly string[];
  /** For a caller that runs the daemon in its own process. None of it is reachable from outside. */
  secrets: SecretStore;
  inventory: InventoryReader;
  reconcile: ReconcileControl;
  service: ServiceNotifier;
  /** Reads the configuration again, and applies what needs no restart. */
  reload: ReloadControl['reload'];
}

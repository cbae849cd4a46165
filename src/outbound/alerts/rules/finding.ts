import type { FactoryView } from '../../../domain/applies/reconciliation.ts';
import type { AlertRule, RuleSettings } from '../../../domain/messages/alert-rules.ts';
import type { DeliveryReader } from '../../../domain/ports/delivery-log.ts';
import type { AlertReader } from '../../../domain/ports/messages.ts';
import type { RunReader } from '../../../domain/ports/run-queue.ts';
import type { RequestTally } from './request-tally.ts';

/** Something that has an alert while it is found. */
export interface Finding {
  /** `null`: about the installation. */
  factory: string | null;
  /** Name of the webhook, automation or token. */
  object: string | null;
  /** Its ID, if that is not its name. */
  objectId: string | null;
  /** One sentence with the values. */
  summary: string;
}

/** Free and total space of the file system of a folder. */
export interface FolderSpace {
  folder: string;
  freeBytes: number;
  totalBytes: number;
}

/** What the rules read. */
export interface RuleSources {
  reader: AlertReader;
  runs: Pick<RunReader, 'get' | 'list'>;
  deliveries: Pick<DeliveryReader, 'get' | 'list'>;
  /** Stored state of all factories, a row for each. */
  factories(): Promise<Pick<FactoryView, 'name' | 'conditions'>[]>;
  requests: RequestTally;
  /** Why the last requests through `baseUrl` did not arrive; `null` if they did, or if none is sent. */
  probeProblem(): string | null;
  /** The targets that a factory cannot report to. @param since wall time in milliseconds */
  notifyFailures(factory: string): readonly { target: string; what: string; problem: string; since: number }[];
  /** Is there an alert of this rule and factory that is not resolved? */
  isActive(rule: AlertRule, factory: string): boolean;
  disks(): Promise<FolderSpace[]>;
  /** Why scheduled backups need attention; `null` if they do not. */
  backupProblem(): string | null;
  nowMs(): number;
}

/** The threshold of a rule that is on. */
export type SettingOf<Rule extends AlertRule> = Exclude<RuleSettings[Rule], false>;

/**
 * How a rule finds what it is about. `all`: one read for all factories, at each evaluation. `factory`: a read of one factory,
 * at each evaluation, or only `onChange` of its runs.
 */
export type Examiner<Setting> =
  | { scope: 'all'; find(sources: RuleSources, setting: Setting): Promise<Finding[]> }
  | {
      scope: 'factory';
      onChange: boolean;
      find(sources: RuleSources, setting: Setting, factory: string): Promise<Finding[]>;
    };

/** Findings of one rule, and alerts of one rule and factory, are not more than this. */
export const MAX_FINDINGS = 200;

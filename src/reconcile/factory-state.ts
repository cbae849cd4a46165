import { FileResults } from '../definitions/file-results.ts';
import type { AppliedFactory } from '../domain/applies/applied.ts';
import type { Condition, FactoryStatus, Reconciliation } from '../domain/applies/reconciliation.ts';
import { isAgentPath, NO_AGENT_FILES } from '../domain/definitions/agent-files.ts';
import type { FactoryDefinition } from '../domain/definitions/definition.ts';
import { OrderedLookup } from '../domain/definitions/ordered-lookup.ts';
import type { KnownFiles, SourceTree } from '../domain/definitions/source-tree.ts';
import type {
  AppliedChange,
  AssignedNumbers,
  AutomationRow,
  Inventory,
  WebhookRow,
} from '../domain/ports/inventory.ts';
import type { AppliedAutomation } from '../domain/resources/automation.ts';
import type { AppliedWebhook } from '../domain/resources/webhook.ts';
import type { ComputedPlan, PlanOrigin } from './plan/compute-plan.ts';

/**
 * What the loop of one factory knows without reading it again: the applied definitions, the status, and what the last
 * plan was made from. Only the loop writes them, so the memory is as current as the storage.
 */
export class FactoryState {
  readonly #name: string;
  readonly #inventory: Pick<Inventory, 'load' | 'status' | 'lastReconciliation'>;
  #applied: AppliedFactory | null = null;
  #status: FactoryStatus | null = null;
  /** `undefined` until it is read. */
  #lastAttempt: Reconciliation | null | undefined;
  /** Of the files that were validated last. */
  readonly results = new FileResults();
  /** `null` until a plan was applied. */
  origin: PlanOrigin | null = null;
  /** The tree of a hosted definition at its newest revision, for the next edit. */
  tree: { revision: string; tree: SourceTree } | null = null;

  constructor(name: string, inventory: Pick<Inventory, 'load' | 'status' | 'lastReconciliation'>) {
    this.#name = name;
    this.#inventory = inventory;
  }

  /** The applied definitions, including deleted webhooks. Empty for a factory that was never applied. */
  async applied(): Promise<AppliedFactory> {
    this.#applied ??= (await this.#inventory.load(this.#name)) ?? emptyFactory(this.#name);
    return this.#applied;
  }

  /** The files whose bytes are not needed: those that were validated last, and the agent files that are stored. */
  async knownFiles(): Promise<KnownFiles> {
    const { agentFiles } = await this.applied();
    const stored = new Map(agentFiles.files.map(({ path, digest }) => [path, digest]));
    const { results } = this;
    return { has: (path, digest) => (isAgentPath(path) ? stored.get(path) === digest : results.has(path, digest)) };
  }

  async status(): Promise<FactoryStatus | null> {
    this.#status ??= await this.#inventory.status(this.#name);
    return this.#status;
  }

  /** The most recent reconciliation; `null` if it applied a definition, or if none exists. */
  async lastAttempt(): Promise<Reconciliation | null> {
    if (this.#lastAttempt === undefined) {
      const last = await this.#inventory.lastReconciliation(this.#name);
      this.#lastAttempt = last?.result === 'applied' ? null : last;
    }
    return this.#lastAttempt;
  }

  /**
   * The change was written.
   *
   * @param definition what it was planned from
   */
  noteApplied(
    change: AppliedChange,
    { definition, computed: { planned, listened } }: { definition: FactoryDefinition; computed: ComputedPlan },
    numbers: AssignedNumbers,
  ): void {
    const before = this.#applied ?? emptyFactory(this.#name);
    const automations = mergeAutomations(planned.automations, change.automations, numbers.automations);
    this.#applied = {
      name: this.#name,
      revision: change.revision,
      applyNumber: numbers.applyNumber,
      webhooks: mergeWebhooks(before.webhooks, planned.webhooks, change, new Map(numbers.webhooks)),
      automations,
      agentFiles: change.agentFiles.set,
    };
    this.#status = {
      name: this.#name,
      appliedRevision: change.revision,
      appliedAt: change.at,
      appliedSource: change.source,
      attemptedRevision: change.revision,
      attemptedAt: change.at,
      conditions: change.conditions,
    };
    this.#lastAttempt = null;
    const rows = new OrderedLookup(definition.automations, automations);
    this.origin = { rows, listened, lint: definition.lint };
  }

  /** A pass that applied nothing was recorded. */
  noteAttempt(reconciliation: Reconciliation, conditions: Condition[]): void {
    this.#lastAttempt = reconciliation;
    if (this.#status === null) return;
    const { revision, attemptedAt } = reconciliation;
    const attemptedRevision = revision ?? this.#status.attemptedRevision;
    this.#status = { ...this.#status, attemptedRevision, attemptedAt, conditions };
  }

  /** Reads everything again when it is needed: after a write whose outcome is not known, or by somebody else. */
  forget(): void {
    this.#applied = null;
    this.#status = null;
    this.#lastAttempt = undefined;
    this.origin = null;
    this.tree = null;
  }
}

/** A factory that was never applied. */
export function emptyFactory(name: string): AppliedFactory {
  return { name, revision: null, applyNumber: 0, webhooks: [], automations: [], agentFiles: NO_AGENT_FILES };
}

function mergeWebhooks(
  before: readonly AppliedWebhook[],
  planned: readonly WebhookRow[],
  { deleteWebhooks, revision, at }: AppliedChange,
  refs: ReadonlyMap<string, number>,
): AppliedWebhook[] {
  const merged = new Map(before.map((webhook) => [webhook.uid, webhook]));
  for (const uid of deleteWebhooks) {
    merged.set(uid, { ...merged.get(uid)!, deletedAt: at, updatedAt: at, revision });
  }
  for (const row of planned) {
    const ref = refs.get(row.uid);
    if (ref === undefined) continue;
    const createdAt = merged.get(row.uid)?.createdAt ?? row.updatedAt;
    merged.set(row.uid, { ...row, ref, createdAt, deletedAt: null });
  }
  return [...merged.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/**
 * A row that was not written is that of the applied state, with its version.
 *
 * @param assigned the versions of the written rows
 */
function mergeAutomations(
  planned: readonly AutomationRow[],
  written: readonly AutomationRow[],
  assigned: readonly number[],
): AppliedAutomation[] {
  if (written.length === 0) return planned as AppliedAutomation[];
  const versions = new Map(written.map(({ name }, index) => [name, assigned[index]!]));
  return planned.map((row) => {
    const version = versions.get(row.name);
    return version === undefined ? (row as AppliedAutomation) : { ...row, version };
  });
}

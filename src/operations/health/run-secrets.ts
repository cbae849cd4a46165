import type { Condition } from '../../domain/applies/reconciliation.ts';
import { describeCondition } from '../../domain/conditions.ts';
import type { AutomationView, InventoryReader } from '../../domain/ports/inventory.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import { isInScope, type SecretScope } from '../../domain/secrets/secret-scope.ts';
import { MISSING_RUN_SECRET, warnMissingForRun } from '../../reconcile/resolve-secrets.ts';

export interface RunSecretParts {
  inventory: Pick<InventoryReader, 'unusableSecrets'>;
  secrets: Pick<SecretStore, 'list'>;
  nowMs(): number;
}

/**
 * Secrets that the applied definition names and that do not exist now, or whose scope excludes the factory. An apply and a
 * change of a secret change that, so it is computed when somebody asks, and kept until one of them happens.
 */
export class RunSecrets {
  readonly #parts: RunSecretParts;
  #scopes: Promise<ReadonlyMap<string, SecretScope>> | null = null;
  readonly #conditions = new Map<string, Promise<Condition[]>>();
  /** Since when each factory has each condition. */
  readonly #since = new Map<string, number>();

  constructor(parts: RunSecretParts) {
    this.#parts = parts;
  }

  /** A secret or its scope was stored or deleted. */
  onSecretChanged(): void {
    this.#scopes = null;
    this.#conditions.clear();
  }

  /** An apply may have changed the automations of the factory. Polls without a change cost nothing. */
  onApplied(factory: string): void {
    this.#conditions.delete(factory);
  }

  /** The automation with its warnings as they are now. */
  async renew(automation: AutomationView): Promise<AutomationView> {
    return replaceWarnings(automation, await this.#findScopes());
  }

  /** The conditions of the factory; empty if it can use all secrets. */
  conditionsOf(factory: string): Promise<Condition[]> {
    let conditions = this.#conditions.get(factory);
    if (conditions === undefined) {
      conditions = this.#describe(factory);
      this.#conditions.set(factory, conditions);
      conditions.catch(() => this.#conditions.delete(factory));
    }
    return conditions;
  }

  async #describe(factory: string): Promise<Condition[]> {
    const { missingForRuns, outsideScope } = await this.#parts.inventory.unusableSecrets(factory);
    const missing = this.#note(`${factory} missing`, missingForRuns.length > 0);
    const outside = this.#note(`${factory} outside`, outsideScope.length > 0);
    return [
      ...(missing === null ? [] : [{ ...describeCondition('RunSecretMissing', missingForRuns), since: missing }]),
      ...(outside === null ? [] : [{ ...describeCondition('SecretOutsideScope', outsideScope), since: outside }]),
    ];
  }

  /** Since when the condition holds; `null` if it does not. */
  #note(condition: string, holds: boolean): number | null {
    if (!holds) {
      this.#since.delete(condition);
      return null;
    }
    const since = this.#since.get(condition) ?? this.#parts.nowMs();
    this.#since.set(condition, since);
    return since;
  }

  #findScopes(): Promise<ReadonlyMap<string, SecretScope>> {
    if (this.#scopes === null) {
      const listed = this.#parts.secrets.list();
      const scopes = listed.then((secrets) => new Map(secrets.map(({ name, scope }) => [name, scope])));
      this.#scopes = scopes;
      scopes.catch(() => {
        this.#scopes = null;
      });
    }
    return this.#scopes;
  }
}

function listSecrets({ secrets }: AutomationView['overrides']): string[] {
  return Array.isArray(secrets) ? secrets.filter((name): name is string => typeof name === 'string') : [];
}

/** What the last apply found out about secrets is replaced. Its positions in the file are still right. */
function replaceWarnings(automation: AutomationView, scopes: ReadonlyMap<string, SecretScope>): AutomationView {
  const { factory, file, warnings, overrides } = automation;
  const found = new Map(warnings.filter(({ rule }) => rule === MISSING_RUN_SECRET).map((one) => [one.path, one]));
  const listed = listSecrets(overrides);
  const missing = listed.flatMap((name, index) => {
    const scope = scopes.get(name);
    if (scope !== undefined && isInScope(scope, { factory, use: 'run' })) return [];
    const at = found.get(`secrets[${index}]`) ?? { line: 1, column: 1 };
    return [warnMissingForRun(factory, { name, automation: automation.name, file, index, at })];
  });
  if (missing.length === 0 && found.size === 0) return automation;
  return { ...automation, warnings: [...warnings.filter(({ rule }) => rule !== MISSING_RUN_SECRET), ...missing] };
}

import { collectPayloadKeys } from '../../definitions/filter/collect-keys.ts';
import { type FiltersByWebhook, findUnseenKeys } from '../../definitions/filter/find-unseen-keys.ts';
import { decideListener } from '../../definitions/filter/listeners/decide-listener.ts';
import type { AnyFilter } from '../../definitions/filter/parse-filter.ts';
import { validateTree } from '../../definitions/validate-tree.ts';
import type { WebhookDefinition } from '../../domain/definitions/definition.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import type { Received } from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { StoredPayloads } from '../../domain/ports/delivery-log.ts';
import type { Inventory } from '../../domain/ports/inventory.ts';
import type { AppliedAutomation } from '../../domain/resources/automation.ts';
import type { PastListener } from '../../domain/resources/delivery.ts';
import type { SecretScope, SecretUser } from '../../domain/secrets/secret-scope.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { backtestTriggers, type TriggerTrial } from '../backtest-triggers.ts';
import { DEFAULT_BOUNDS } from '../plan/backtest.ts';
import { type PreviewContext, type PreviewOrder, previewPlan } from '../preview-plan.ts';
import type { ReadableSecrets } from '../resolve-secrets.ts';
import { evaluateAppliedAutomation, evaluateFilter } from './evaluate-filter.ts';

/** A delivery to try a filter on. Its payload is parsed, or the stored bytes. */
export interface TriedDelivery {
  headers: Received['headers'];
  payload: { value: unknown } | { bytes: Uint8Array };
}

/** A question of a reader that costs time: what a definition, a filter or stored payloads amount to. */
export type Inspection =
  | { kind: 'plan'; order: PreviewOrder; hosted: ReturnType<PreviewContext['hostOf']>; webhooksPerFactory: number }
  | { kind: 'backtest'; trial: TriggerTrial }
  | { kind: 'keys'; webhook: WebhookUid }
  | { kind: 'unseen'; filters: FiltersByWebhook }
  | { kind: 'filter'; filter: AnyFilter; delivery: TriedDelivery }
  | { kind: 'decisions'; listeners: readonly PastListener[]; delivery: TriedDelivery }
  | { kind: 'automation'; automation: AppliedAutomation; webhook: WebhookUid | null; delivery: TriedDelivery };

/** What an inspection asks the thread that owns the secrets. No value of a secret leaves that thread. */
export interface InspectionHost {
  resolveSecret(
    name: string,
    user: SecretUser,
  ): Promise<{ outcome: 'found'; version: number } | { outcome: 'missing' } | { outcome: 'outside_scope' }>;
  secretScopes(names: readonly string[]): Promise<ReadonlyMap<string, SecretScope>>;
  checkSecret(webhook: WebhookDefinition, user: SecretUser): Promise<Diagnostic[]>;
}

interface InspectionParts {
  storage: { inventory: Pick<Inventory, 'load'>; storedPayloads: StoredPayloads };
  host: InspectionHost;
  /** Names each file that is read, for the time limits. */
  onStep(step: string | null): void;
}

/** Answers an inspection. Throws `invalid_filter` for a filter that cannot be evaluated. */
export async function inspect(task: Inspection, { storage, host, onStep }: InspectionParts): Promise<unknown> {
  const { inventory, storedPayloads: payloads } = storage;
  const context = { inventory, payloads, clock: systemClock, bounds: DEFAULT_BOUNDS };
  switch (task.kind) {
    case 'plan': {
      const { order, hosted, webhooksPerFactory } = task;
      const validate: PreviewContext['validate'] = async (tree, known) => {
        const validated = validateTree(tree, known, onStep);
        onStep(null);
        return validated;
      };
      const secrets = createSecretsView(host);
      return previewPlan({ ...context, secrets, validate, webhooksPerFactory, hostOf: () => hosted }, order);
    }
    case 'backtest':
      return backtestTriggers(context, task.trial);
    case 'keys':
      return collectPayloadKeys(payloads, task.webhook);
    case 'unseen':
      return findUnseenKeys(payloads, task.filters);
    case 'filter':
      return evaluateFilter(task.filter, receive(task.delivery));
    case 'decisions': {
      const received = receive(task.delivery);
      return task.listeners.map((listener) => decideListener(listener, received));
    }
    case 'automation':
      return evaluateAppliedAutomation(task.automation, task.webhook, receive(task.delivery));
  }
}

function createSecretsView(host: InspectionHost): ReadableSecrets {
  return {
    resolve: async (name, user) => {
      const found = await host.resolveSecret(name, user);
      return found.outcome === 'found' ? { ...found, value: null } : found;
    },
    scopes: (names) => host.secretScopes(names),
    check: (webhook, user) => host.checkSecret(webhook, user),
  };
}

/** The delivery as filters test it. */
export function receive({ headers, payload }: TriedDelivery): Received {
  return {
    headers,
    payload: 'bytes' in payload ? JSON.parse(Buffer.from(payload.bytes).toString('utf8')) : payload.value,
  };
}

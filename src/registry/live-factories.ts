import type { WebhookUid } from '../core/ids.ts';
import type { AssignedNumbers } from '../core/ports/definitions/inventory.ts';
import type { ListeningAutomation, ServedChange, StagedAutomations } from '../core/ports/definitions/serving.ts';
import { buildListener, buildLiveWebhook, type PushTrigger } from './build-live-webhooks.ts';
import type { Listener, LiveWebhook } from './live-webhook.ts';
import type { Registry } from './registry.ts';

/** What one factory serves. */
interface LiveFactory {
  /** The listeners of each automation, by webhook. */
  automations: Map<string, CompiledAutomation>;
  /** The enabled webhooks. */
  webhooks: Map<WebhookUid, LiveWebhook>;
}

type CompiledAutomation = ReadonlyMap<WebhookUid, Listener>;

interface Staged {
  isWhole: boolean;
  automations: Map<string, CompiledAutomation>;
}

/**
 * Compiles what factories serve, and puts it into the registry. Webhooks and automations that a change does not name keep
 * their compiled form.
 */
export class LiveFactories {
  readonly #registry: Registry;
  readonly #pushTrigger: (factory: string) => PushTrigger | null;
  readonly #live = new Map<string, LiveFactory>();
  readonly #staged = new Map<string, Staged>();

  /** @param pushTrigger the webhook of a factory that reports pushes */
  constructor(registry: Registry, pushTrigger: (factory: string) => PushTrigger | null) {
    this.#registry = registry;
    this.#pushTrigger = pushTrigger;
  }

  /** As `Serving.stage`. */
  stage({ factory, automations, isFirst, isWhole }: StagedAutomations): void {
    if (isFirst) this.#staged.set(factory, { isWhole, automations: new Map() });
    const staged = this.#staged.get(factory)!;
    for (const automation of automations) staged.automations.set(automation.name, compileAutomation(automation));
  }

  /**
   * Makes a change live, with what was staged. Never throws.
   *
   * @param numbers what the storage assigned to the rows of the change
   */
  goLive(change: ServedChange, numbers: AssignedNumbers = NO_NUMBERS): void {
    const { factory, isWhole } = change;
    const staged = this.#staged.get(factory);
    this.#staged.delete(factory);
    const before = isWhole ? undefined : this.#live.get(factory);
    const automations = new Map(before?.automations);
    for (const name of change.deletedAutomations) automations.delete(name);
    for (const [name, compiled] of staged?.automations ?? []) automations.set(name, compiled);
    assignVersions(automations, numbers);
    const webhooks = this.#replaceWebhooks(change, new Map(before?.webhooks), new Map(numbers.webhooks));
    const listeners = collectListeners(automations);
    const live = [...webhooks.values()].map((webhook) => ({
      ...webhook,
      revision: change.revision,
      listeners: listeners.get(webhook.uid) ?? [],
    }));
    this.#live.set(factory, { automations, webhooks: new Map(live.map((webhook) => [webhook.uid, webhook])) });
    this.#registry.replaceFactory(factory, live);
  }

  #replaceWebhooks(
    { factory, webhooks: changed, deletedWebhooks }: ServedChange,
    webhooks: Map<WebhookUid, LiveWebhook>,
    refs: ReadonlyMap<string, number>,
  ): Map<WebhookUid, LiveWebhook> {
    const pushTrigger = this.#pushTrigger(factory);
    for (const uid of deletedWebhooks) webhooks.delete(uid);
    for (const serving of changed) {
      const { uid, enabled, ref } = serving.webhook;
      if (enabled) webhooks.set(uid, buildLiveWebhook(serving, refs.get(uid) ?? ref, pushTrigger));
      else webhooks.delete(uid);
    }
    return webhooks;
  }
}

const NO_NUMBERS: AssignedNumbers = { webhooks: [], automations: [] };

function compileAutomation(automation: ListeningAutomation): CompiledAutomation {
  return new Map(automation.filters.map(([webhook, payloads]) => [webhook, buildListener(automation, payloads)]));
}

/** Automations that were staged before the storage wrote them get the versions that it assigned. */
function assignVersions(automations: Map<string, CompiledAutomation>, numbers: AssignedNumbers): void {
  for (const [name, version] of numbers.automations) {
    for (const listener of automations.get(name)?.values() ?? []) listener.version = version;
  }
}

function collectListeners(automations: ReadonlyMap<string, CompiledAutomation>): Map<WebhookUid, Listener[]> {
  const byWebhook = new Map<WebhookUid, Listener[]>();
  for (const compiled of automations.values()) {
    for (const [uid, listener] of compiled) {
      const others = byWebhook.get(uid);
      if (others) others.push(listener);
      else byWebhook.set(uid, [listener]);
    }
  }
  return byWebhook;
}

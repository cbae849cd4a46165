// What requests need of definitions, compiled. In: staged automations and changes from the reconcile thread, by
// `create-serving.ts`. Out: snapshots of webhooks (`registry.ts`, `live-webhook.ts`), and schedules for the tick loop. A
// change goes live in one turn of the event loop. Next: `build-live-webhooks.ts` for a webhook, `factory-listeners.ts` for its
// automations, `known-webhooks.ts` for webhooks that exist and are not live.

import type { Listener } from '../../definitions/filter/listeners/listener-index.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type {
  ListeningAutomation,
  ScheduleChanges,
  ServedChange,
  StagedAutomations,
} from '../../domain/ports/definitions.ts';
import type { AssignedNumbers } from '../../domain/ports/inventory.ts';
import { type ScheduledAutomation, TICK_LISTENERS, type TickSource } from '../../domain/resources/schedule.ts';
import { TICK_SOURCE_NAME } from '../../domain/words/deliveries.ts';
import { buildLiveWebhook, type PushTrigger } from './build-live-webhooks.ts';
import { type CompiledFilters, compileFilters, FactoryListeners } from './factory-listeners.ts';
import type { LiveWebhook } from './live-webhook.ts';
import type { Registry } from './registry.ts';

/** What one factory serves. */
interface LiveFactory {
  listeners: FactoryListeners;
  /** The enabled webhooks. */
  webhooks: Map<WebhookUid, LiveWebhook>;
}

/** What follows the schedules of live automations. */
interface ScheduleFollowers {
  onChanged(changes: ScheduleChanges): void;
  onRemoved(factory: string): void;
}

const NO_FOLLOWERS: ScheduleFollowers = { onChanged: () => {}, onRemoved: () => {} };

/** What was staged for a change. */
interface Staged {
  /** All listeners of the factory; `null` if only some automations are replaced. */
  whole: FactoryListeners | null;
  /** Those that are replaced. */
  automations: CompiledAutomation[];
  /** The listeners to which the storage is still to assign a version. */
  unversioned: Listener[];
  /** The schedules of all staged automations, also of those that have none. */
  scheduled: ScheduledAutomation[];
}

interface CompiledAutomation {
  automation: ListeningAutomation;
  compiled: CompiledFilters;
  listener: Listener;
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
  readonly #tickSources = new Map<string, TickSource>();
  readonly #followers: ScheduleFollowers;

  /** @param pushTrigger the webhook of a factory that reports pushes */
  constructor(
    registry: Registry,
    pushTrigger: (factory: string) => PushTrigger | null,
    followers: ScheduleFollowers = NO_FOLLOWERS,
  ) {
    this.#registry = registry;
    this.#pushTrigger = pushTrigger;
    this.#followers = followers;
  }

  /** The ticks of the factory are recorded there. */
  setTickSource(factory: string, source: TickSource): void {
    this.#tickSources.set(factory, source);
    this.#serveTicks(factory);
  }

  /** As `Serving.stage`. */
  stage({ factory, automations, isFirst, isWhole }: StagedAutomations): void {
    if (isFirst) {
      const whole = isWhole ? new FactoryListeners() : null;
      this.#staged.set(factory, { whole, automations: [], unversioned: [], scheduled: [] });
    }
    const staged = this.#staged.get(factory)!;
    for (const automation of automations) {
      const compiled = compileFilters(automation);
      const { name, version, keyPaths, runsOn, schedules = [] } = automation;
      staged.scheduled.push({ name, schedules });
      const listener: Listener = { automation: name, version: version ?? 0, keyPaths, runsOn };
      if (version === null) staged.unversioned.push(listener);
      if (staged.whole !== null) staged.whole.set(automation, compiled, listener);
      else staged.automations.push({ automation, compiled, listener });
    }
  }

  /**
   * Makes a change live, with what was staged. Never throws. Of what was staged as a whole, only the versions are set here,
   * because deliveries wait.
   *
   * @param numbers what the storage assigned to the rows of the change
   */
  goLive(change: ServedChange, numbers: AssignedNumbers | null = null): void {
    const { factory, revision, isWhole } = change;
    const staged = change.isStaged ? this.#staged.get(factory) : undefined;
    this.#staged.delete(factory);
    staged?.unversioned.forEach((listener, index) => {
      listener.version = numbers!.automations[index]!;
    });
    const before = isWhole ? undefined : this.#live.get(factory);
    const listeners = changeListeners(before?.listeners, change, staged);
    listeners.setApply({ number: numbers?.applyNumber ?? change.applyNumber ?? 0, revision });
    const webhooks = this.#replaceWebhooks(change, new Map(before?.webhooks), new Map(numbers?.webhooks));
    const live = [...webhooks.values()].map((webhook) => {
      const index = listeners.of(webhook.uid);
      index.readAlways(webhook.describedBy);
      return { ...webhook, revision, listeners: index };
    });
    this.#live.set(factory, { listeners, webhooks: new Map(live.map((webhook) => [webhook.uid, webhook])) });
    this.#registry.replaceFactory(factory, live);
    this.#serveTicks(factory);
    const automations = staged?.scheduled ?? [];
    this.#followers.onChanged({ factory, automations, deleted: change.deletedAutomations, isWhole });
  }

  /** Ends what a factory serves. */
  remove(factory: string): void {
    this.#staged.delete(factory);
    this.#live.delete(factory);
    this.#registry.replaceFactory(factory, []);
    this.#registry.setTickSource(factory, null);
    this.#followers.onRemoved(factory);
  }

  #serveTicks(factory: string): void {
    const source = this.#tickSources.get(factory);
    const live = this.#live.get(factory);
    if (source === undefined || live === undefined) return;
    const listeners = live.listeners.of(TICK_LISTENERS);
    this.#registry.setTickSource(factory, { ...source, factory, name: TICK_SOURCE_NAME, listeners });
  }

  #replaceWebhooks(
    { factory, webhooks: changed, deletedWebhooks }: ServedChange,
    webhooks: Map<WebhookUid, LiveWebhook>,
    refs: ReadonlyMap<string, number>,
  ): Map<WebhookUid, LiveWebhook> {
    const pushTrigger = this.#pushTrigger(factory);
    for (const uid of deletedWebhooks) {
      webhooks.delete(uid);
      this.#registry.known.noteDeleted(uid);
    }
    for (const serving of changed) {
      const { uid, enabled } = serving.webhook;
      const ref = refs.get(uid) ?? serving.webhook.ref;
      this.#registry.known.noteApplied(serving.webhook, ref);
      if (enabled) webhooks.set(uid, buildLiveWebhook(serving, ref, pushTrigger));
      else webhooks.delete(uid);
    }
    return webhooks;
  }
}

/** The listeners after a change: the staged ones, or those before with the staged and deleted automations. */
function changeListeners(
  before: FactoryListeners | undefined,
  { deletedAutomations }: ServedChange,
  staged: Staged | undefined,
): FactoryListeners {
  if (staged !== undefined && staged.whole !== null) return staged.whole;
  const listeners = before ?? new FactoryListeners();
  for (const name of deletedAutomations) listeners.delete(name);
  for (const { automation, compiled, listener } of staged?.automations ?? []) {
    listeners.set(automation, compiled, listener);
  }
  return listeners;
}

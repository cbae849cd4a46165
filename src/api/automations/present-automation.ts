import { describeEvents, nameTrigger } from '../../definitions/triggers/describe-events.ts';
import { describeService } from '../../definitions/triggers/describe-service.ts';
import { listResolvedNames, matchesFactoryRepositories } from '../../definitions/triggers/explain-serving.ts';
import { TRIGGER_PROVIDERS } from '../../definitions/triggers/providers.ts';
import { createTicks, listNextTicks } from '../../domain/cron/ticks.ts';
import {
  type DeclaredSchedule,
  isWebhookTrigger,
  type ProviderTrigger,
  scheduleOf,
  type WebhookTrigger,
} from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { AutomationView, WebhookView } from '../../domain/ports/inventory.ts';
import type { PauseControl } from '../../domain/ports/pauses.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import { AUTOMATION_FIELDS } from '../../domain/resources/automation.ts';
import { presentFields } from '../../domain/resources/fields.ts';
import type { ScheduleState } from '../../domain/resources/schedule.ts';
import { type Clock, formatInstant } from '../../domain/time/clock.ts';
import { presentFile } from '../factories/factory-source.ts';
import { findPause } from '../factories/present-pause.ts';
import { presentCommit } from '../reconciliations/present-commit.ts';
import { presentInstant } from '../server/instants.ts';
import { presentResults } from './present-results.ts';

/** When the oldest queued run of each automation was created, as `RunReader.oldestQueued` returns it. */
type OldestQueued = Awaited<ReturnType<RunReader['oldestQueued']>>;

/** What surrounds the automations of a factory. */
export interface AutomationSurroundings {
  queued: OldestQueued;
  /** The webhooks of the factory. */
  webhooks: readonly WebhookView[];
}

/** An automation as the interfaces show it. */
export function presentAutomation(
  automation: AutomationView,
  { queued, webhooks }: AutomationSurroundings,
  {
    findSource,
    pauses,
    clock,
  }: { findSource: Parameters<typeof presentFile>[1]; pauses: PauseControl; clock: Pick<Clock, 'wallMs'> },
) {
  const file = presentFile(automation, findSource);
  return {
    ...presentFields(AUTOMATION_FIELDS, automation),
    triggers: automation.triggers.map((trigger, i) => {
      const listensTo = automation.listensTo[i] ?? [];
      return isWebhookTrigger(trigger)
        ? presentWebhookTrigger(trigger, listensTo, file !== null)
        : {
            ...presentProviderTrigger(trigger, listensTo, webhooks),
            ...presentSchedule(trigger, automation.schedules, clock.wallMs()),
          };
    }),
    file,
    commit: presentCommit(automation.commit),
    results: presentResults(automation.results),
    pause: findPause(pauses, automation.factory, automation.name),
    oldest_queued_at: presentInstant(queued.find((oldest) => oldest.automation === automation.name)?.createdAt ?? null),
  };
}

/** As it was written, with the webhooks that serve it. */
function presentProviderTrigger(
  trigger: ProviderTrigger,
  listensTo: readonly WebhookUid[],
  webhooks: readonly WebhookView[],
) {
  const { provider, declared, repositories = null } = trigger;
  const bound = webhooks.filter(({ uid }) => listensTo.includes(uid));
  const { servedBy, reason, note } = describeService(trigger, { webhooks: bound, repositories });
  return {
    ...declared,
    provider,
    listens_to: listensTo,
    handled_elsewhere: !TRIGGER_PROVIDERS.has(provider) && scheduleOf(trigger) === null,
    service: {
      trigger: nameTrigger(declared),
      events: describeEvents(declared),
      starts_here: reason === null,
      served_by: servedBy,
      reason,
      note,
      repositories: matchesFactoryRepositories(trigger) ? repositories : null,
      names: listResolvedNames(
        trigger,
        bound.filter(({ name }) => servedBy.includes(name)),
      ),
    },
  };
}

/** Only of a trigger with a schedule. */
function presentSchedule(trigger: ProviderTrigger, states: readonly ScheduleState[], nowMs: number) {
  const schedule = scheduleOf(trigger);
  return schedule === null ? {} : { ticks: presentTicks(schedule, states, nowMs) };
}

function presentWebhookTrigger(trigger: WebhookTrigger, listensTo: readonly WebhookUid[], isWritten: boolean) {
  return {
    provider: trigger.provider,
    event: trigger.event,
    filter: {
      webhook_ids: trigger.webhookIds,
      webhooks: trigger.webhooks,
      headers: trigger.headers ?? null,
      payload: trigger.payload,
    },
    line: isWritten ? trigger.at.line : null,
    listens_to: listensTo,
    handled_elsewhere: false,
  };
}

/** Number of next ticks that answers show. */
const NEXT_TICKS = 5;

/** The ticks of a schedule: when it fires, when it last fired, and what was missed. */
function presentTicks(schedule: DeclaredSchedule, states: readonly ScheduleState[], nowMs: number) {
  const state = states.find(({ name }) => name === (schedule.name ?? '')) ?? null;
  const { name, cron, timezone, catchUp } = schedule;
  return {
    id: state?.id ?? null,
    name,
    cron,
    timezone,
    catch_up: catchUp,
    next_at: listNext(schedule, state, nowMs),
    started_at: presentInstant(state?.startedAt ?? null),
    last_at: presentInstant(state?.firedAt ?? null),
    last_delivery: state?.delivery ?? null,
    missed: state?.missed ?? 0,
    last_missed_at: presentInstant(state?.missedAt ?? null),
  };
}

/** A daemon of an earlier version may have applied a schedule that is not valid. */
function listNext(schedule: DeclaredSchedule, state: ScheduleState | null, nowMs: number): string[] {
  const startedAt = state?.startedAt ?? nowMs;
  try {
    const after = Math.max(nowMs, startedAt, state?.passedAt ?? 0);
    return listNextTicks(createTicks(schedule, startedAt), after, NEXT_TICKS).map(formatInstant);
  } catch {
    return [];
  }
}

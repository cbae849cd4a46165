import type { WebhookUid } from '../../core/ids.ts';
import type { AutomationView } from '../../core/ports/definitions/inventory.ts';
import type { PauseControl } from '../../core/ports/runs/pause-control.ts';
import type { RunReader } from '../../core/ports/runs/run-queue.ts';
import { AUTOMATION_FIELDS } from '../../core/resources/automation.ts';
import { presentFields } from '../../core/resources/fields.ts';
import type { Trigger } from '../../core/trigger.ts';
import { isWebhookTrigger } from '../../core/trigger.ts';
import { presentFile } from '../factories/factory-source.ts';
import { findPause } from '../factories/present-pause.ts';
import { presentCommit } from '../reconciliations/present-commit.ts';
import { presentInstant } from '../server/instants.ts';
import { presentResults } from './present-results.ts';

/** When the oldest queued run of each automation was created, as `RunReader.oldestQueued` returns it. */
export type OldestQueued = Awaited<ReturnType<RunReader['oldestQueued']>>;

/** An automation as the interfaces show it. */
export function presentAutomation(
  automation: AutomationView,
  queued: OldestQueued,
  findSource: Parameters<typeof presentFile>[1],
  pauses: PauseControl,
) {
  const file = presentFile(automation, findSource);
  const isWritten = file !== null;
  return {
    ...presentFields(AUTOMATION_FIELDS, automation),
    triggers: automation.triggers.map((trigger, i) =>
      presentTrigger(trigger, automation.listensTo[i] ?? [], isWritten),
    ),
    file,
    commit: presentCommit(automation.commit),
    results: presentResults(automation.results),
    pause: findPause(pauses, automation.factory, automation.name),
    oldest_queued_at: presentInstant(queued.find((oldest) => oldest.automation === automation.name)?.createdAt ?? null),
  };
}

/** A trigger of another provider is shown as it was written, marked as handled elsewhere. */
function presentTrigger(trigger: Trigger, listensTo: readonly WebhookUid[], isWritten: boolean) {
  if (!isWebhookTrigger(trigger)) {
    return { ...trigger.declared, provider: trigger.provider, listens_to: [], handled_elsewhere: true };
  }
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

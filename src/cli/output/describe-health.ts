import type { Automation, Factory, Webhook } from '../../client/api-types.ts';
import { describeAcceptance, describeRejections, describeResults } from '../../domain/words/recent-activity.ts';
import { formatAge, formatInstantWithAge, formatSpan } from './format-time.ts';

type Traffic = Webhook['traffic'];
type Results = Automation['results'];

/** Is the sender of a webhook still getting through? In one line. */
export function describeTraffic(traffic: Traffic, nowMs: number): string {
  const { last_accepted_at: at } = traffic;
  const accepted = at === null ? 'nothing was ever accepted' : `last accepted ${formatAge(at, nowMs)}`;
  const rejected = describeRecentRejections(traffic, nowMs);
  const isSaid = traffic.rejections !== null && traffic.rejections.reason === traffic.credential_failing?.reason;
  // The sentence about the last 24 hours contains the number, the time and the reason.
  const recent = isSaid ? null : (describeFailing(traffic, nowMs) ?? describeAcceptance(traffic));
  return [accepted, recent, rejected].filter((part) => part !== null).join('; ');
}

/** Rejected requests of the last 24 hours, with their senders; `null` for none. */
export function describeRecentRejections({ rejections, last_24_hours }: Traffic, nowMs: number): string | null {
  if (rejections === null) return null;
  const { accepted, duplicate, rejected } = last_24_hours;
  return describeRejections({
    count: rejections.count,
    examined: rejections.examined,
    of: accepted + duplicate + rejected,
    since: formatInstantWithAge(rejections.since, nowMs),
    reasonText: rejections.reason_text,
    addresses: rejections.addresses,
    otherAddresses: rejections.other_addresses,
  });
}

/** The requests whose credential failed since the last accepted one; `null` if none did. */
export function describeFailing({ credential_failing: failing }: Traffic, nowMs: number): string | null {
  if (failing === null) return null;
  const { count, since, reason, reason_text } = failing;
  const why = reason === null ? '' : `: ${reason_text ?? reason}`;
  return `${count} rejected since ${formatInstantWithAge(since, nowMs)}${why}`;
}

/** The run of an automation that ended last, for lists; `-` if none has. */
export function describeLastRun({ last_run }: Results, nowMs: number): string {
  return last_run === null ? '-' : `${last_run.state} ${formatAge(last_run.finished_at, nowMs)}`;
}

/** How long a queued run has waited; `null` if none is queued. */
export function describeWait(queuedAt: string | null, nowMs: number): string | null {
  return queuedAt === null ? null : formatSpan(nowMs - Date.parse(queuedAt));
}

/** What happened in a factory: one line for each webhook, and for automations that need attention. */
export function describeHealth({ health }: Factory, nowMs: number): [title: string, lines: [string, string][]][] {
  const { webhooks, failed_automations, queue } = health;
  return [
    ['Webhooks', webhooks.map(({ name, enabled, traffic }) => [name, describeWebhook(enabled, traffic, nowMs)])],
    [
      'Automations with failed runs',
      failed_automations.map(({ name, results }) => [name, describeFailed(results, nowMs)]),
    ],
    [
      'Queued runs',
      queue.map(({ automation, oldest_queued_at: at }) => [
        automation,
        `the oldest waits for ${describeWait(at, nowMs)}`,
      ]),
    ],
  ];
}

function describeWebhook(isEnabled: boolean, traffic: Traffic, nowMs: number): string {
  return isEnabled ? describeTraffic(traffic, nowMs) : `disabled; ${describeTraffic(traffic, nowMs)}`;
}

function describeFailed(results: Results, nowMs: number): string {
  return `${describeResults(results)}; last run ${describeLastRun(results, nowMs)}`;
}

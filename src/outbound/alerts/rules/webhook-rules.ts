import { readRejections } from '../../../domain/deliveries/recent-rejections.ts';
import type { WebhookUid } from '../../../domain/ids.ts';
import { REQUEST_WINDOW_MS } from '../../../domain/messages/alert-rules.ts';
import { formatInstant } from '../../../domain/time/clock.ts';
import { describeDeliveryReason } from '../../../domain/words/delivery-reasons.ts';
import { parseDuration } from '../../../domain/words/quantities.ts';
import { describeRejections } from '../../../domain/words/recent-activity.ts';
import type { Examiner, Finding, RuleSources } from './finding.ts';
import type { TalliedKind } from './request-tally.ts';

/** A webhook that rejects many requests. */
export const REJECTION_BURST: Examiner<number> = {
  scope: 'all',
  find: async (sources, threshold) => {
    const busy = listBusy(
      sources,
      'rejected',
      threshold,
      (count) => `${count} requests were rejected in the last 5 minutes.`,
    );
    return Promise.all(
      busy.map(async ({ summary, ...finding }) => ({
        ...finding,
        summary: `${summary}${await nameSenders(sources, finding.objectId)}`,
      })),
    );
  },
};

/** A webhook whose sender exceeds the delivery rate. */
export const RATE_LIMITED: Examiner<number> = {
  scope: 'all',
  find: async (sources, threshold) =>
    listBusy(sources, 'limited', threshold, (count) => `${count} requests got 429 in the last 5 minutes.`),
};

/** A webhook that accepted no delivery for its `expectEvery`. */
export const SILENT: Examiner<true> = {
  scope: 'all',
  find: async ({ reader, nowMs }) => {
    const now = nowMs();
    const expected = await reader.expectedWebhooks(MAX_EXPECTED);
    const silent = expected.filter(({ expectEvery, lastAcceptedAt, updatedAt }) => {
      const sinceAt = lastAcceptedAt ?? updatedAt;
      return now - sinceAt >= (parseDuration(expectEvery) ?? Number.POSITIVE_INFINITY);
    });
    return silent.map(({ factory, name, uid, expectEvery, lastAcceptedAt }): Finding => {
      const last =
        lastAcceptedAt === null
          ? 'No delivery was ever accepted'
          : `The last delivery was accepted at ${formatInstant(lastAcceptedAt)}`;
      return { factory, object: name, objectId: uid, summary: `${last}, and one is expected every ${expectEvery}.` };
    });
  },
};

/** Webhooks with `expectEvery` of all factories. */
const MAX_EXPECTED = 10_000;

/** Why requests were rejected, and from where: other senders of the webhook may get through. */
async function nameSenders({ deliveries, nowMs }: RuleSources, uid: string): Promise<string> {
  const search = { webhookUid: uid as WebhookUid, sinceAt: nowMs() - REQUEST_WINDOW_MS };
  const rejections = await readRejections(deliveries, search);
  if (rejections === null) return '';
  const { since, reason, ...counts } = rejections;
  const reasonText = reason === null ? null : describeDeliveryReason(reason);
  return ` The webhook ${describeRejections({ ...counts, of: null, since: formatInstant(since), reasonText })}`;
}

function listBusy(
  { requests }: RuleSources,
  kind: TalliedKind,
  threshold: number,
  describe: (count: number) => string,
): (Finding & { objectId: string })[] {
  return requests.list(kind, threshold).map(({ webhook: { factory, name, uid }, count }) => ({
    factory,
    object: name,
    objectId: uid,
    summary: describe(count),
  }));
}

import { DEAD_LETTER_WINDOW_MS, MIN_RATED_RUNS } from '../../../domain/messages/alert-rules.ts';
import type { DeliveryReader } from '../../../domain/ports/delivery-log.ts';
import type { FailedAutomation } from '../../../domain/ports/messages.ts';
import type { RunReader } from '../../../domain/ports/run-queue.ts';
import type { Run } from '../../../domain/resources/run.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { shortenText } from '../../../domain/words/payload-filters.ts';
import { countOf, formatDuration } from '../../../domain/words/quantities.ts';
import { describeSubject, explainRunError, LOOP_GUARD } from '../../../domain/words/runs.ts';
import { type Examiner, type Finding, MAX_FINDINGS, type RuleSources } from './finding.ts';

const MAX_DEAD_LETTERS = 1000;

/** An automation whose last runs all failed. */
export const RUN_FAILED: Examiner<number> = {
  scope: 'factory',
  onChange: true,
  find: (sources, threshold, factory) =>
    findAutomations(sources, factory, ({ failedInARow, recent }) => {
      if (failedInARow < threshold) return null;
      if (failedInARow === 1) return 'The last run failed.';
      return `The last ${failedInARow}${failedInARow === recent ? '' : ` of ${recent}`} runs failed.`;
    }),
};

/** An automation with a high share of failed runs. */
export const FAILURE_RATE: Examiner<number> = {
  scope: 'factory',
  onChange: true,
  find: (sources, percent, factory) =>
    findAutomations(sources, factory, ({ recent, recentFailed }) =>
      recent >= MIN_RATED_RUNS && recentFailed * 100 >= recent * percent
        ? `${recentFailed} of the last ${recent} runs failed.`
        : null,
    ),
};

/** An automation that the loop guard did not start. */
export const LOOP_GUARDED: Examiner<true> = {
  scope: 'all',
  find: async ({ reader, nowMs }) => {
    const guarded = await reader.guardedAutomations({ sinceAt: nowMs() - LOOP_GUARD.windowMs, limit: MAX_FINDINGS });
    return guarded.map(({ factory, automation, subject, subjects, deliveries }) => {
      const others = subjects === 1 ? '' : ` and ${countOf(subjects - 1, 'other subject')}`;
      const summary = `${countOf(deliveries, 'delivery', 'deliveries')} about ${describeSubject(subject)}${others} did not start it.`;
      return { factory, object: automation, objectId: null, summary };
    });
  },
};

/** A factory with many failed runs that nobody retried. */
export const DEAD_LETTER: Examiner<number> = {
  scope: 'factory',
  onChange: true,
  find: async (sources, threshold, factory) => {
    const { reader, nowMs } = sources;
    const sinceAt = nowMs() - DEAD_LETTER_WINDOW_MS;
    const count = await reader.deadLetters({ factory, sinceAt, limit: MAX_DEAD_LETTERS });
    if (count < threshold) return [];
    const number = count === MAX_DEAD_LETTERS ? `At least ${count}` : String(count);
    const last = await describeFailedRun(sources, { factory });
    return [aboutFactory(factory, `${number} runs failed in the last 24 hours and were not retried.${last}`)];
  },
};

/** A factory whose runs wait long for a slot. */
export const QUEUE_AGE: Examiner<number> = {
  scope: 'factory',
  onChange: false,
  find: async (sources, thresholdMs, factory) => {
    const oldest = await sources.reader.oldestWaiting(factory);
    if (oldest === null) return [];
    const ageMs = sources.nowMs() - oldest.at;
    if (ageMs < thresholdMs) return [];
    const run = await sources.runs.get(oldest.run);
    const name = run === null ? '' : ` It is a run of ${run.automation}: ${await describeRun(sources, run)}`;
    return [aboutFactory(factory, `The oldest waiting run has waited for ${formatDuration(ageMs)}.${name}`)];
  },
};

async function findAutomations(
  sources: RuleSources,
  factory: string,
  describe: (automation: FailedAutomation) => string | null,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const failed of await sources.reader.failedAutomations(factory, MAX_FINDINGS)) {
    const { automation } = failed;
    const summary = describe(failed);
    if (summary === null) continue;
    const last = await describeFailedRun(sources, { factory, automation });
    findings.push({ factory, object: automation, objectId: null, summary: `${summary}${last}` });
  }
  return findings;
}

function aboutFactory(factory: string, summary: string): Finding {
  return { factory, object: null, objectId: null, summary };
}

/** What texts about runs are composed from. */
interface RunTextSources {
  runs: Pick<RunReader, 'get' | 'list'>;
  deliveries: Pick<DeliveryReader, 'get'>;
}

/** For example: run_01… for issues.opened "Crash at start". The command ended with exit code 3. */
async function describeRun({ deliveries }: RunTextSources, run: Run): Promise<string> {
  const delivery = await deliveries.get(run.delivery);
  const event = delivery?.event ?? run.deliveryIdentity;
  const subject = delivery?.summary == null ? '' : ` "${shortenText(delivery.summary)}"`;
  const failure = explainRunError(run);
  return escapeText(`${run.id} for ${shortenText(event)}${subject}.${failure === null ? '' : ` ${failure.text}`}`);
}

/** The most recent failed run of a factory, or of one of its automations, as a sentence; empty if none is stored. */
async function describeFailedRun(
  sources: RunTextSources,
  search: { factory: string; automation?: string },
): Promise<string> {
  const { data } = await sources.runs.list({ ...search, state: 'failed', limit: 1, cursor: null });
  const [run] = data;
  return run === undefined ? '' : ` Last failure: ${await describeRun(sources, run)}`;
}

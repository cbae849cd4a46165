import {
  decideListener,
  type ListenerDecision,
  needDelivery,
} from '../../definitions/filter/listeners/decide-listener.ts';
import { FULL_MATCH } from '../../definitions/filter/nearness.ts';
import type { DeliveryId, RunId } from '../../domain/ids.ts';
import type { DeliveryReader } from '../../domain/ports/delivery-log.ts';
import {
  type Decision,
  type Delivery,
  type GuardedDelivery,
  type MatchRecord,
  type OmittedDecisions,
  type PastListener,
  parseRecordedHeaders,
} from '../../domain/resources/delivery.ts';
import { explainLoopGuard } from '../../domain/words/runs.ts';
import type { Inspector } from '../../reconcile/inspection/create-inspector.ts';
import { decodeCursor, encodeCursor } from '../server/page-query.ts';

interface ExplainParts {
  deliveries: Pick<DeliveryReader, 'evaluation' | 'listeners' | 'payload'>;
  inspector: Pick<Inspector, 'decideListeners'>;
}

/** One page of the decisions of a delivery, ordered by automation. */
export interface DeliveryExplanation {
  delivery: DeliveryId;
  decisions: Decision[];
  omitted: OmittedDecisions | null;
  nextCursor: string | null;
}

/**
 * Why each automation that listened started or did not. The first page has every automation whose filter matched. Decisions are
 * composed from the stored payload and the listeners of the apply that was live. Earlier versions stored them.
 *
 * @param cursor of the page before; `null` for the first page
 */
export async function explainDelivery(
  parts: ExplainParts,
  delivery: Pick<Delivery, 'id' | 'webhookUid' | 'headers'>,
  { limit, cursor }: { limit: number; cursor: string | null },
): Promise<DeliveryExplanation> {
  const { id, webhookUid } = delivery;
  const evaluation = await parts.deliveries.evaluation(id);
  if (evaluation === null) return { delivery: id, decisions: [], omitted: null, nextCursor: null };
  if ('decisions' in evaluation) return { delivery: id, ...evaluation, nextCursor: null };
  const { listeners, nextCursor } = await readPage(parts, { webhook: webhookUid, evaluation, limit, cursor });
  const { guarded } = evaluation;
  const runs = new Map(evaluation.started.map(({ automation, run }) => [automation, run]));
  const decided = await decide(parts, delivery, listeners);
  const decisions = decided.map((decision, index) => {
    const { automation } = listeners[index]!;
    const isGuarded = guarded?.automations.includes(automation) === true;
    const made = isGuarded ? describeGuarded(guarded) : decision;
    return composeDecision(automation, made, runs.get(automation) ?? null);
  });
  return { delivery: id, decisions, omitted: null, nextCursor };
}

/** Automations whose filters are evaluated in one task: it must end before the timeout of its thread. */
const MAX_LISTENERS = 1_000;

/** All pages in one. */
export async function explainWholeDelivery(
  parts: ExplainParts,
  delivery: Pick<Delivery, 'id' | 'webhookUid' | 'headers'>,
): Promise<Decision[]> {
  const whole: Decision[] = [];
  let cursor: string | null = null;
  do {
    const page = await explainDelivery(parts, delivery, { limit: MAX_LISTENERS, cursor });
    whole.push(...page.decisions);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return whole;
}

interface ListenerPage {
  webhook: Delivery['webhookUid'];
  evaluation: MatchRecord;
  limit: number;
  cursor: string | null;
}

async function readPage({ deliveries }: ExplainParts, { webhook, evaluation, limit, cursor }: ListenerPage) {
  const { applyNumber, only, started, guarded } = evaluation;
  const after = cursor === null ? null : decodeCursor(cursor);
  const names = only === null ? null : [only];
  const found = await deliveries.listeners({ webhook, applyNumber, names, after, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const nextCursor = found.length > limit ? encodeCursor(shown.at(-1)!.automation) : null;
  const startedNames = new Set([...started.map(({ automation }) => automation), ...(guarded?.automations ?? [])]);
  if (cursor !== null) {
    return { listeners: shown.filter(({ automation }) => !startedNames.has(automation)), nextCursor };
  }
  const missing = [...startedNames].filter((name) => shown.every(({ automation }) => automation !== name));
  if (missing.length === 0) return { listeners: shown, nextCursor };
  const search = { webhook, applyNumber, names: missing, after: null, limit: missing.length };
  const others = await deliveries.listeners(search);
  const known = new Set(others.map(({ automation }) => automation));
  // The ticks of schedules have no history of listeners: a replay of one starts the automation of the tick.
  const unknown = missing.filter((name) => !known.has(name));
  const replayed = unknown.map((automation): PastListener => ({ automation, enabled: true, filters: [{}] }));
  return { listeners: [...shown, ...others, ...replayed], nextCursor };
}

const NOTHING = { headers: {}, payload: undefined };

/** Filters are evaluated in another thread, because a payload may be large. */
async function decide(
  { deliveries, inspector }: ExplainParts,
  { id, headers }: Pick<Delivery, 'id' | 'headers'>,
  listeners: PastListener[],
): Promise<ListenerDecision[]> {
  if (!needDelivery(listeners)) return listeners.map((listener) => decideListener(listener, NOTHING));
  const bytes = await deliveries.payload(id);
  // Retention has removed the delivery since it was found.
  if (bytes === null) return [];
  return inspector.decideListeners(listeners, { headers: parseRecordedHeaders(headers), payload: { bytes } });
}

/** The filters matched. */
function describeGuarded({ subject, limit }: GuardedDelivery): ListenerDecision {
  const message = explainLoopGuard(subject, limit);
  return { outcome: 'loop_guard', path: null, expected: null, actual: null, message, nearness: FULL_MATCH };
}

function composeDecision(automation: string, decision: ListenerDecision, run: RunId | null): Decision {
  const { outcome, path, expected, actual, message, nearness } = decision;
  return { automation, outcome, run, path, expected, actual, message, nearness };
}

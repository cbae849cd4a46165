import { type CompiledFilters, compileFilters } from '../../definitions/filter/evaluate-filters.ts';
import { KeySightings, listUnseenKeys } from '../../definitions/filter/key-sightings.ts';
import type { AutomationBacktest, Backtest, BacktestExample } from '../../domain/applies/backtest.ts';
import type { Received } from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { StoredPayload, StoredPayloads } from '../../domain/ports/delivery-log.ts';
import { parseRecordedHeaders } from '../../domain/resources/delivery.ts';
import type { StartingFilters, TriggerChange } from './trigger-changes.ts';

/** Limits of the cost of a backtest. */
export interface BacktestBounds {
  /** Maximum age of deliveries. */
  windowMs: number;
  /** Maximum number of keys in memory. Older deliveries are excluded. */
  maxStored: number;
  /** Maximum number of payloads that are parsed and evaluated. */
  maxExamined: number;
  /** Time for reading and evaluating. */
  maxMs: number;
}

export const DEFAULT_BOUNDS: BacktestBounds = Object.freeze({
  windowMs: 7 * 24 * 60 * 60 * 1000,
  maxStored: 1_000_000,
  maxExamined: 20_000,
  maxMs: 10_000,
});

/** Number of keys per read, which takes the storage about a millisecond. */
const KEYS_A_PIECE = 5_000;

/** Number of bytes that are evaluated without a pause, which takes a few milliseconds of parsing. */
const BYTES_A_PIECE = 262_144;

const MAX_EXAMPLES = 5;

/** The source, clocks and limits of a backtest. */
interface BacktestContext {
  payloads: StoredPayloads;
  nowMs: number;
  monotonicMs(): number;
  bounds: BacktestBounds;
}

/** A backtest, and the keys of the new filters that no examined delivery had. */
interface BacktestResult {
  backtest: Backtest;
  unseenKeys: UnseenKey[];
}

/** A key that a filter contains but no payload has. */
export interface UnseenKey {
  automation: string;
  /** The nested keys in the filter. */
  path: readonly string[];
  /** Number of examined payloads. */
  examined: number;
}

/**
 * Evaluates stored deliveries with changed triggers, as applied and as planned. Time and memory are limited: above the
 * limits, it evaluates a sample that is spread evenly over the period. It reads in small parts and evaluates between
 * them, so that deliveries are accepted in the meantime.
 */
export async function runBacktest(
  context: BacktestContext,
  changes: readonly TriggerChange[],
): Promise<BacktestResult> {
  const { nowMs, bounds } = context;
  const since = nowMs - bounds.windowMs;
  const subjects = changes.map(createSubject);
  const keys = await collectKeys(context, listWebhooks(changes), since);
  const examined = await examine(context, spread(keys, bounds.maxExamined), subjects);
  const automations = subjects.map(({ result }) => result);
  return {
    backtest: { since, until: nowMs, stored: keys.length, examined, automations },
    unseenKeys: subjects.flatMap(listUnseen),
  };
}

function listWebhooks(changes: readonly TriggerChange[]): WebhookUid[] {
  return [...new Set(changes.flatMap(({ before, after }) => [...before.keys(), ...after.keys()]))];
}

async function collectKeys(
  { payloads, bounds }: BacktestContext,
  webhooks: readonly WebhookUid[],
  since: number,
): Promise<number[]> {
  const keys: number[] = [];
  for (const webhook of webhooks) {
    let before: number | null = null;
    while (keys.length < bounds.maxStored) {
      const piece: number[] = await payloads.keys({ webhook, since, before, limit: KEYS_A_PIECE });
      for (const key of piece) keys.push(key);
      if (piece.length < KEYS_A_PIECE) break;
      before = piece.at(-1)!;
    }
  }
  return keys;
}

/**
 * Returns at most `max` of the keys, evenly spread. Every beginning of the result is evenly spread as well, so that the
 * keys that are skipped when the time has elapsed are spread too.
 */
export function spread(keys: readonly number[], max: number): number[] {
  const every = Math.max(1, Math.ceil(keys.length / max));
  const kept = pickOneOfEach(keys, every);
  // A step near the golden section of the length, without a common divisor, visits every index once.
  let step = Math.max(1, Math.round(kept.length * 0.618));
  while (divisor(step, kept.length) > 1) step++;
  return kept.map((_, index) => kept[(index * step) % kept.length]!);
}

/** Picks one key of each group of `every` keys, by a hash, so that the sample does not follow a pattern of the sender. */
function pickOneOfEach(keys: readonly number[], every: number): number[] {
  const runs = Math.ceil(keys.length / every);
  return Array.from({ length: runs }, (_, run) => {
    const length = Math.min(every, keys.length - run * every);
    return keys[run * every + ((Math.imul(run + 1, 0x9e3779b1) >>> 0) % length)]!;
  });
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** Reads and evaluates until everything is done or the time has elapsed. Returns the number of evaluated payloads. */
async function examine(
  { payloads, monotonicMs, bounds }: BacktestContext,
  keys: readonly number[],
  subjects: readonly Subject[],
): Promise<number> {
  const deadline = monotonicMs() + bounds.maxMs;
  let examined = 0;
  for (let at = 0; at < keys.length && monotonicMs() < deadline; ) {
    const piece = await payloads.read(keys.slice(at, at + 256), BYTES_A_PIECE);
    at += piece.taken;
    examined += piece.payloads.length;
    for (const payload of piece.payloads) evaluate(subjects, payload);
  }
  return examined;
}

/** A trigger change during its evaluation. */
interface Subject {
  result: AutomationBacktest;
  before: ReadonlyMap<WebhookUid, CompiledFilters>;
  after: ReadonlyMap<WebhookUid, CompiledFilters>;
  sightings: ReadonlyMap<WebhookUid, KeySightings>;
  /** The headers that the filters test, by webhook. */
  headers: ReadonlyMap<WebhookUid, readonly string[]>;
}

function createSubject({ automation, before, after }: TriggerChange): Subject {
  const counts = { examined: 0, before: 0, after: 0, gainedCount: 0, lostCount: 0, unrecorded: 0 };
  return {
    result: { automation, ...counts, gained: [], lost: [] },
    before: compileAll(before),
    after: compileAll(after),
    sightings: new Map([...after].map(([webhook, filters]) => [webhook, new KeySightings(filters)])),
    headers: new Map([...before, ...after].map(([webhook]) => [webhook, listHeaders(webhook, [before, after])])),
  };
}

function listHeaders(webhook: WebhookUid, sides: readonly StartingFilters[]): string[] {
  const filters = sides.flatMap((side) => side.get(webhook) ?? []);
  return [...new Set(filters.flatMap(({ headers = {} }) => Object.keys(headers).map((name) => name.toLowerCase())))];
}

function compileAll(filters: StartingFilters): Map<WebhookUid, CompiledFilters> {
  return new Map([...filters].map(([webhook, one]) => [webhook, compileFilters(one)]));
}

function evaluate(subjects: readonly Subject[], stored: StoredPayload): void {
  const concerned = subjects.filter(({ before, after }) => before.has(stored.webhook) || after.has(stored.webhook));
  if (concerned.length === 0) return;
  const payload: unknown = JSON.parse(Buffer.from(stored.body).toString('utf8'));
  const received = { headers: parseRecordedHeaders(stored.headers), payload };
  for (const subject of concerned) evaluateOne(subject, stored, received);
}

function evaluateOne(
  { result, before, after, sightings, headers }: Subject,
  stored: StoredPayload,
  received: Received,
): void {
  const [old, planned] = [before.get(stored.webhook), after.get(stored.webhook)];
  const [started, starts] = [old?.matches(received) ?? false, planned?.matches(received) ?? false];
  result.examined++;
  if (headers.get(stored.webhook)?.some((name) => received.headers[name] === undefined)) result.unrecorded++;
  sightings.get(stored.webhook)?.look(received.payload);
  if (started) result.before++;
  if (starts) result.after++;
  if (starts && !started) {
    result.gainedCount++;
    keepNewest(result.gained, stored, () => explain(old, received, 'no trigger started it before'));
  }
  if (started && !starts) {
    result.lostCount++;
    keepNewest(result.lost, stored, () => explain(planned, received, 'no trigger starts it now'));
  }
}

type Reason = Pick<BacktestExample, 'path' | 'message'>;

/** Keeps the most recent examples, newest first. Computes the reason only for those that are kept. */
function keepNewest(examples: BacktestExample[], { id, webhook, receivedAt }: StoredPayload, explainIt: () => Reason) {
  const place = examples.findIndex((example) => example.receivedAt < receivedAt);
  const at = place === -1 ? examples.length : place;
  if (at >= MAX_EXAMPLES) return;
  examples.splice(at, 0, { delivery: id, webhook, receivedAt, ...explainIt() });
  examples.length = Math.min(examples.length, MAX_EXAMPLES);
}

function explain(filters: CompiledFilters | undefined, received: Received, absence: string): Reason {
  const decision = filters?.decide(received);
  if (decision?.outcome !== 'filtered') return { path: null, message: absence };
  return { path: decision.decidedBy.path, message: decision.decidedBy.message };
}

function listUnseen({ result: { automation }, sightings }: Subject): UnseenKey[] {
  const { examined, paths } = listUnseenKeys(sightings.values());
  return paths.map((path) => ({ automation, path, examined }));
}

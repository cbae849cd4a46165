import { compileFilter } from '../src/definitions/filter/compile-pattern.ts';
import { ListenerIndex } from '../src/definitions/filter/listeners/listener-index.ts';
import { type CompiledFilter, matchesReceived } from '../src/definitions/filter/match-payload.ts';
import { parseTriggerFilter } from '../src/definitions/filter/parse-filter.ts';
import type { DeliveryFilter, Received } from '../src/domain/definitions/trigger.ts';
import type { JsonObject } from '../src/domain/json.ts';
import { type Benchmark, type BenchOptions, divide, type Row, row, type Table } from './kit/benchmark.ts';
import { compareRates } from './kit/compare-rates.ts';

/** The decision of which automations a payload starts, compared with evaluating each filter. */
export const benchmark: Benchmark = {
  summary:
    'the automations that a payload of 10 KB starts, among up to 10,000 filters, compared with evaluating each filter',
  isDurable: false,
  defaults: { rounds: 7, seconds: 0.1 },
  run,
};

const SIZES = [1, 100, 10_000];
const QUICK_SIZES = [1, 50];
const PAYLOAD_BYTES = 10_000;

/** Kinds of filters, and the number of them that match the payload. */
const KINDS: { title: string; matching: number; compose: (i: number) => DeliveryFilter }[] = [
  {
    title: 'one matches',
    matching: 1,
    compose: (i) => onRepository(i),
  },
  {
    title: 'none matches',
    matching: 0,
    compose: (i) => onRepository(i + 1),
  },
  {
    title: 'no condition lists values, one matches',
    matching: 1,
    // Number 0 excludes nothing that the payload has.
    compose: (i) => ({
      payload: {
        action: { exists: true },
        issue: { state: { not_in: i === 0 ? ['none'] : ['open', `s${i}`] } },
      },
    }),
  },
  {
    title: 'GitHub triggers of another event',
    matching: 0,
    compose: () => onEvent('pull_request_opened', {}),
  },
  {
    title: 'GitHub triggers of the event, one repository matches',
    matching: 1,
    compose: (i) => onEvent('issue_created', { repos: [`acme/service-${i}`], labels: { not_in: ['wip'] } }),
  },
];

function onRepository(id: number): DeliveryFilter {
  return { payload: { action: ['opened'], repository: { id: [id] }, issue: { state: { not_in: ['locked'] } } } };
}

function onEvent(event: string, filter: JsonObject): DeliveryFilter {
  return { trigger: { provider: 'github', event, filter } };
}

async function run({ rounds, seconds, isQuick }: BenchOptions): Promise<Table[]> {
  const received: Received = { headers: { 'x-github-event': 'issues' }, payload: JSON.parse(composePayload()) };
  const text = Buffer.from(composePayload());
  const rows: Row[] = [];
  for (const { title, matching, compose } of KINDS) {
    for (const size of isQuick ? QUICK_SIZES : SIZES) {
      const index = new ListenerIndex();
      const each: CompiledFilter[] = [];
      for (let i = 0; i < size; i++) {
        each.push(...compile(compose(i)));
        index.add({ automation: `work-${i}`, version: 1, enabled: true, filters: [compose(i)] });
      }
      const count = index.match(received).length;
      const expected = each.filter((filter) => matchesReceived(filter, received)).length;
      if (count !== matching || expected !== matching)
        throw new Error(`${title}, ${size}: ${count} automations match by the index, ${expected} by their filters`);
      const { subject, baseline } = compareRates(
        {
          subject: () => void index.match(received),
          baseline: () => void each.filter((filter) => matchesReceived(filter, received)),
        },
        rounds,
        seconds * 1_000,
      );
      const label = `${size.toLocaleString('en')} filters, ${title}`;
      rows.push(row(`${label}: index`, 'µs', toMicros(subject)));
      rows.push(row(`${label}: each filter`, 'µs', toMicros(baseline)));
      rows.push(row(`${label}: each filter / index`, '×', divide(subject, baseline)));
    }
  }
  const parse = compareRates(
    { subject: () => void JSON.parse(text.toString()), baseline: () => {} },
    rounds,
    seconds * 1_000,
  );
  rows.push(row('parsing the payload', 'µs', toMicros(parse.subject)));
  const notes = [
    `Processor time for one payload of ${PAYLOAD_BYTES / 1_000} KB and all filters, measured in turns after a warm-up.`,
  ];
  return [{ title: 'Payload filters', rows, notes }];
}

function compile(filter: DeliveryFilter): CompiledFilter[] {
  const parsed = parseTriggerFilter(filter);
  if (!parsed.ok) throw new Error(`the filter ${JSON.stringify(filter)} cannot be compiled`);
  return parsed.patterns.map(compileFilter);
}

function toMicros(rates: readonly number[]): number[] {
  return rates.map((rate) => 1e6 / rate);
}

/** Has the shape of an event of a git host: nested objects and a list of objects. */
function composePayload(): string {
  const label = (i: number) => ({ id: i, name: `label-${i}`, color: 'ededed', default: false });
  const user = (i: number) => ({ login: `user-${i}`, id: i, type: 'User', url: `https://git.example.com/users/${i}` });
  const payload = {
    action: 'opened',
    issue: {
      number: 7,
      state: 'open',
      user: user(1),
      labels: Array.from({ length: 20 }, (_, i) => label(i)),
      body: '',
    },
    repository: {
      id: 0,
      full_name: 'acme/service-0',
      name: 'service',
      owner: user(2),
      topics: Array.from({ length: 20 }, (_, i) => `topic-${i}`),
    },
    sender: user(3),
  };
  payload.issue.body = 'x'.repeat(PAYLOAD_BYTES - JSON.stringify(payload).length);
  return JSON.stringify(payload);
}

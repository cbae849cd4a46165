import { queryOptions } from '@tanstack/react-query';
import type { Json, JsonObject } from '../../api-types/openapi.d.ts';
import type { Automation, Backtest, Delivery, FilterResult, PayloadKey, Run } from '../../client/api-types.ts';
import { type PendingAnswer, readAnswer, readTagged } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** An automation with the tag by which a change says what it was made from. */
export interface TaggedAutomation {
  automation: Automation;
  etag: string;
}

/** All that an automation says, as the API takes it: keys left out are taken away. */
export interface AutomationBody {
  description: string | null;
  enabled: boolean;
  agent: string | null;
  triggers: JsonObject[];
  prompt: string;
  [override: string]: Json;
}

export function automationsQuery(factory: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'automations'],
    queryFn: async () => {
      const request = api.GET('/api/v1/factories/{factory}/automations', { params: { path: { factory } } });
      return (await readAnswer(request)).data;
    },
  });
}

export function automationQuery(factory: string, name: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'automations', name],
    queryFn: () =>
      readAutomation(
        api.GET('/api/v1/factories/{factory}/automations/{name}', { params: { path: { factory, name } } }),
      ),
  });
}

/** The newest run of one automation; `null` for none. */
export function lastRunQuery(factory: string, automation: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'runs', 'last', automation],
    queryFn: async (): Promise<Run | null> => {
      const params = { path: { factory }, query: { automation, limit: 1 } };
      return (await readAnswer(api.GET('/api/v1/factories/{factory}/runs', { params }))).data[0] ?? null;
    },
  });
}

const STORED_SHOWN = 10;

/** The newest accepted deliveries of some webhooks, whose payloads are stored. */
export function storedDeliveriesQuery(factory: string, uids: readonly string[]) {
  return queryOptions({
    queryKey: ['factory', factory, 'stored-deliveries', ...uids],
    queryFn: async (): Promise<Delivery[]> => {
      const pages = await Promise.all(uids.map((uid) => readAccepted(factory, uid)));
      return pages
        .flat()
        .sort((a, b) => b.received_at.localeCompare(a.received_at))
        .slice(0, STORED_SHOWN);
    },
  });
}

async function readAccepted(factory: string, uid: string): Promise<Delivery[]> {
  const params = { path: { factory, uid }, query: { label: 'Accepted' as const, limit: STORED_SHOWN } };
  return (await readAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}/deliveries', { params }))).data;
}

/** The keys of the newest stored payloads of some webhooks, with values that they held. */
export function payloadKeysQuery(factory: string, uids: readonly string[]) {
  return queryOptions({
    queryKey: ['factory', factory, 'payload-keys', ...uids],
    queryFn: async (): Promise<PayloadKey[]> => {
      const answers = await Promise.all(uids.map((uid) => readPayloadKeys(factory, uid)));
      return answers.flat();
    },
  });
}

async function readPayloadKeys(factory: string, uid: string): Promise<PayloadKey[]> {
  const params = { path: { factory, uid } };
  return (await readAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}/payload-keys', { params }))).keys;
}

/** What a filter is tried on. */
export type FilterSubject = { payload: Json } | { delivery: string };

export function testFilter(factory: string, filter: Json, subject: FilterSubject): Promise<FilterResult> {
  const body = { filter, ...subject };
  return readAnswer(api.POST('/api/v1/factories/{factory}/filters/test', { params: { path: { factory } }, body }));
}

/** Triggers to evaluate with stored deliveries. */
export interface BacktestRequest {
  /** The automation whose applied triggers these are compared with; `null` for a new one. */
  automation: string | null;
  enabled: boolean;
  triggers: JsonObject[];
}

/** What the triggers would have started, beside what the applied ones of the automation did. */
export function backtest(factory: string, { triggers, ...request }: BacktestRequest): Promise<Backtest> {
  const body = { ...request, triggers: triggers as ProposedTrigger[] };
  return readAnswer(api.POST('/api/v1/factories/{factory}/backtests', { params: { path: { factory } }, body }));
}

type ProposedTrigger = { provider: string } & JsonObject;

export function createAutomation(factory: string, name: string, body: AutomationBody): Promise<TaggedAutomation> {
  const params = { path: { factory } };
  return readAutomation(api.POST('/api/v1/factories/{factory}/automations', { params, body: { name, ...body } }));
}

/** Throws `precondition_failed` where it is no longer what the tag names. */
export function replaceAutomation(
  factory: string,
  name: string,
  body: AutomationBody,
  etag: string,
): Promise<TaggedAutomation> {
  const params = { path: { factory, name } };
  const headers = { 'if-match': etag };
  return readAutomation(api.PUT('/api/v1/factories/{factory}/automations/{name}', { params, body, headers }));
}

export async function deleteAutomation(factory: string, name: string, etag: string): Promise<void> {
  const params = { path: { factory, name } };
  const headers = { 'if-match': etag };
  await readAnswer(api.DELETE('/api/v1/factories/{factory}/automations/{name}', { params, headers }));
}

async function readAutomation(request: PendingAnswer<Automation>): Promise<TaggedAutomation> {
  const { value, etag } = await readTagged(request);
  return { automation: value, etag: etag ?? '*' };
}

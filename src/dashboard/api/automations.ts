import { queryOptions } from '@tanstack/react-query';
import type { Automation, Backtest, Delivery, FilterResult, PayloadKey } from '../../client/api-types.ts';
import type { Json, JsonObject } from '../../client/openapi.d.ts';
import { type PendingAnswer, readAnswer, readTagged } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** An automation with its entity tag, which a change must send. */
export interface TaggedAutomation {
  automation: Automation;
  etag: string;
}

/** All keys of an automation, as the API accepts them. Missing keys are removed. */
export interface AutomationRequest {
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

const STORED_SHOWN = 10;

/** The most recent accepted deliveries of some webhooks, whose payloads are stored. */
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

/** The keys of the most recent stored payloads of some webhooks, with example values. */
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

/** What a filter is tested with. */
export type FilterSubject = { payload: Json } | { delivery: string };

/** The parts of a filter. */
export interface TestedFilter {
  filter: Json;
  headers_filter?: Json;
}

export function testFilter(factory: string, filter: TestedFilter, subject: FilterSubject): Promise<FilterResult> {
  const body = { ...filter, ...subject };
  return readAnswer(api.POST('/api/v1/factories/{factory}/filters/test', { params: { path: { factory } }, body }));
}

/** Triggers to evaluate with stored deliveries. */
export interface BacktestRequest {
  /** The automation to compare with; `null` for a new one. */
  automation: string | null;
  enabled: boolean;
  triggers: JsonObject[];
}

/** Compares the deliveries that the triggers would have started with those of the applied triggers. */
export function backtest(factory: string, { triggers, ...request }: BacktestRequest): Promise<Backtest> {
  const body = { ...request, triggers: triggers as ProposedTrigger[] };
  return readAnswer(api.POST('/api/v1/factories/{factory}/backtests', { params: { path: { factory } }, body }));
}

type ProposedTrigger = { provider: string } & JsonObject;

export function createAutomation(factory: string, name: string, body: AutomationRequest): Promise<TaggedAutomation> {
  const params = { path: { factory } };
  return readAutomation(api.POST('/api/v1/factories/{factory}/automations', { params, body: { name, ...body } }));
}

/** Throws `precondition_failed` if the automation changed since it was read. */
export function replaceAutomation(
  factory: string,
  name: string,
  body: AutomationRequest,
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

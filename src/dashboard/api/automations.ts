import { queryOptions } from '@tanstack/react-query';
import type { Json, JsonObject } from '../../api-types/openapi.d.ts';
import { api } from './client.ts';
import { readAnswer } from './problem.ts';
import type { Automation, Delivery, FilterVerdict, Run } from './types.ts';

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
      readTagged(api.GET('/api/v1/factories/{factory}/automations/{name}', { params: { path: { factory, name } } })),
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

const PAYLOADS_READ = 5;

/** The newest stored payloads of some webhooks. */
export function storedPayloadsQuery(factory: string, deliveries: readonly Delivery[]) {
  const newest = deliveries.slice(0, PAYLOADS_READ).map(({ id }) => id);
  return queryOptions({
    queryKey: ['factory', factory, 'stored-payloads', ...newest],
    queryFn: () => Promise.all(newest.map(readPayload)),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function readPayload(id: string): Promise<unknown> {
  const request = api.GET('/api/v1/deliveries/{id}/payload', { params: { path: { id } }, parseAs: 'json' });
  return readAnswer<unknown>(request);
}

/** What a filter is tried on. */
export type FilterSubject = { payload: Json } | { delivery: string };

export function testFilter(factory: string, filter: Json, subject: FilterSubject): Promise<FilterVerdict> {
  const body = { filter, ...subject };
  return readAnswer(api.POST('/api/v1/factories/{factory}/filters/test', { params: { path: { factory } }, body }));
}

export function createAutomation(factory: string, name: string, body: AutomationBody): Promise<TaggedAutomation> {
  const params = { path: { factory } };
  return readTagged(api.POST('/api/v1/factories/{factory}/automations', { params, body: { name, ...body } }));
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
  return readTagged(api.PUT('/api/v1/factories/{factory}/automations/{name}', { params, body, headers }));
}

export async function deleteAutomation(factory: string, name: string, etag: string): Promise<void> {
  const params = { path: { factory, name } };
  const headers = { 'if-match': etag };
  await readAnswer(api.DELETE('/api/v1/factories/{factory}/automations/{name}', { params, headers }));
}

async function readTagged(
  request: Promise<{ data?: Automation; error?: unknown; response: Response }>,
): Promise<TaggedAutomation> {
  const automation = await readAnswer(request);
  return { automation, etag: (await request).response.headers.get('etag') ?? '*' };
}

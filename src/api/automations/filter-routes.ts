import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FilterResult } from '../../definitions/filter/evaluate-filters.ts';
import { lowercaseNames } from '../../domain/definitions/trigger.ts';
import { AppError } from '../../domain/errors.ts';
import type { DeliveryId, WebhookUid } from '../../domain/ids.ts';
import type { DeliveryReader } from '../../domain/ports/delivery-log.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import { parseRecordedHeaders } from '../../domain/resources/delivery.ts';
import type { Inspector } from '../../reconcile/inspection/create-inspector.ts';
import type { TriedDelivery } from '../../reconcile/inspection/inspection.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { factoryOf, requireReached } from '../server/reach.ts';

interface FilterRouteParts {
  inventory: InventoryReader;
  deliveries: DeliveryReader;
  inspector: Pick<Inspector, 'evaluateFilter' | 'evaluateAutomation'>;
}

interface FilterTest {
  filter?: unknown;
  headers_filter?: unknown;
  automation?: string;
  payload?: unknown;
  headers?: { [name: string]: string };
  delivery?: string;
}

const filterTestSchema = {
  type: 'object',
  description:
    'Either `automation`, or `filter`, `headers_filter` or both. Either `delivery`, or `payload`, with `headers` if they matter.',
  additionalProperties: false,
  properties: {
    filter: { description: 'A payload filter.' },
    headers_filter: { description: 'A filter of request headers, as `headers` of a trigger.' },
    automation: { type: 'string', description: 'Name of an automation of this factory.' },
    payload: { description: 'Any JSON value.' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Request headers by name, in any letter case. A stored delivery has its recorded headers.',
    },
    delivery: { type: 'string', description: 'ID of an accepted delivery to this factory.' },
  },
};

/** `POST /factories/{factory}/filters/test`: would this start a run? Changes nothing. */
export function registerFilterRoutes(app: FastifyInstance, parts: FilterRouteParts): void {
  app.post<{ Body: FilterTest }>(
    '/factories/:factory/filters/test',
    {
      config: { access: requireRole('viewer', 'factory'), changes: false },
      schema: {
        tags: ['Automations'],
        summary: 'Test a filter or an automation on a payload or a delivery',
        description: 'An invalid filter returns 422 with everything that is wrong with it.',
        body: filterTestSchema,
        response: { 200: refTo('FilterResult'), 404: refTo('Problem'), 409: refTo('Problem'), 422: refTo('Problem') },
      },
    },
    async (request) => {
      const { body } = request;
      requireOneOf(body, ['filter', 'headers_filter'], ['automation']);
      requireOneOf(body, ['payload', 'headers'], ['delivery']);
      const subject = await findSubject(parts, request);
      return evaluate(parts, request, subject);
    },
  );
}

/** What the filter is tried on; `webhook` is `null` for a payload that came from none. */
interface Subject {
  delivery: TriedDelivery;
  webhook: WebhookUid | null;
}

type FilterTestRequest = FastifyRequest<{ Body: FilterTest }>;

/** @param one keys that go together, the usual one first */
function requireOneOf(body: FilterTest, one: (keyof FilterTest)[], other: (keyof FilterTest)[]): void {
  const isGiven = (keys: (keyof FilterTest)[]) => keys.some((key) => Object.hasOwn(body, key));
  if (isGiven(one) === isGiven(other)) {
    throw new AppError('bad_request', `Send exactly one of "${one[0]}" and "${other[0]}".`);
  }
}

async function findSubject(parts: FilterRouteParts, request: FilterTestRequest): Promise<Subject> {
  const { body } = request;
  if (body.delivery === undefined) {
    const delivery = { headers: lowercaseNames(body.headers ?? {}), payload: { value: body.payload } };
    return { delivery, webhook: null };
  }
  const found = await parts.deliveries.get(body.delivery as DeliveryId);
  const isHere = found?.factory === factoryOf(request).name;
  const delivery = requireReached(request, 'delivery', isHere ? found : null);
  const bytes = await parts.deliveries.payload(delivery.id);
  if (bytes === null) {
    throw new AppError(
      'conflict',
      `The delivery is labelled ${delivery.label}. Only accepted deliveries have a payload to test.`,
    );
  }
  const headers = parseRecordedHeaders(delivery.headers);
  return { delivery: { headers, payload: { bytes } }, webhook: delivery.webhookUid };
}

async function evaluate(parts: FilterRouteParts, request: FilterTestRequest, subject: Subject): Promise<FilterResult> {
  const { automation, filter: payload, headers_filter: headers } = request.body;
  if (automation === undefined) return parts.inspector.evaluateFilter({ headers, payload }, subject.delivery);
  const found = await parts.inventory.automation(factoryOf(request).name, automation);
  const applied = requireReached(request, 'automation', found);
  return parts.inspector.evaluateAutomation(applied, subject.webhook, subject.delivery);
}

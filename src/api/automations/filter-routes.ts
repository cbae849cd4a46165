import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../core/errors.ts';
import type { DeliveryId, WebhookUid } from '../../core/ids.ts';
import type { FilterResult } from '../../filter/evaluate-filters.ts';
import type { TriedPayload } from '../../inspection/inspection.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { factoryOf, requireReached } from '../server/reach.ts';
import type { AdminServices } from '../services.ts';

interface FilterTest {
  filter?: unknown;
  automation?: string;
  payload?: unknown;
  delivery?: string;
}

const filterTestSchema = {
  type: 'object',
  description: 'Exactly one of `filter` and `automation`, and exactly one of `payload` and `delivery`.',
  additionalProperties: false,
  properties: {
    filter: { description: 'A payload filter.' },
    automation: { type: 'string', description: 'Name of an automation of this factory.' },
    payload: { description: 'Any JSON value.' },
    delivery: { type: 'string', description: 'ID of an accepted delivery to this factory.' },
  },
};

/** `POST /factories/{factory}/filters/test`: would this start something? Changes nothing. */
export function registerFilterRoutes(app: FastifyInstance, services: AdminServices): void {
  app.post<{ Body: FilterTest }>(
    '/factories/:factory/filters/test',
    {
      config: { access: requireRole('viewer', 'factory'), changes: false },
      schema: {
        tags: ['Automations'],
        summary: 'Try a filter or an automation on a payload or a delivery',
        description: 'An invalid filter is answered with 422 and all that is wrong with it.',
        body: filterTestSchema,
        response: { 200: refTo('FilterResult'), 404: refTo('Problem'), 409: refTo('Problem'), 422: refTo('Problem') },
      },
    },
    async (request) => {
      requireOneOf(request.body, 'filter', 'automation');
      requireOneOf(request.body, 'payload', 'delivery');
      const subject = await findSubject(services, request);
      return judge(services, request, subject);
    },
  );
}

/** What the filter is tried on; `webhook` is `null` for a payload that came from none. */
interface Subject {
  payload: TriedPayload;
  webhook: WebhookUid | null;
}

type FilterTestRequest = FastifyRequest<{ Body: FilterTest }>;

function requireOneOf(body: FilterTest, one: keyof FilterTest, other: keyof FilterTest): void {
  if (Object.hasOwn(body, one) === Object.hasOwn(body, other)) {
    throw new AppError('bad_request', `Send exactly one of "${one}" and "${other}".`);
  }
}

async function findSubject(services: AdminServices, request: FilterTestRequest): Promise<Subject> {
  const { body } = request;
  if (body.delivery === undefined) return { payload: { value: body.payload }, webhook: null };
  const found = await services.deliveries.get(body.delivery as DeliveryId);
  const isHere = found?.factory === factoryOf(request).name;
  const delivery = requireReached(request, 'delivery', isHere ? found : null);
  const bytes = await services.deliveries.payload(delivery.id);
  if (bytes === null) {
    throw new AppError(
      'conflict',
      `The delivery is labelled ${delivery.label}: only accepted ones keep a payload to test.`,
    );
  }
  return { payload: { bytes }, webhook: delivery.webhookUid };
}

async function judge(services: AdminServices, request: FilterTestRequest, subject: Subject): Promise<FilterResult> {
  const { automation, filter } = request.body;
  if (automation === undefined) return services.inspector.evaluateFilter(filter, subject.payload);
  const found = await services.inventory.automation(factoryOf(request).name, automation);
  const applied = requireReached(request, 'automation', found);
  return services.inspector.evaluateAutomation(applied, subject.webhook, subject.payload);
}

import type { FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { DeliveryId, WebhookUid } from '../../domain/ids.ts';
import type { JsonSchema } from '../../domain/json.ts';
import type { DeliveryReader } from '../../domain/ports/delivery-log.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { ReplaySelection } from '../../domain/ports/replays.ts';
import { REPLAY_DEFINITIONS, type ReplayDefinition, type ReplayFilter } from '../../domain/resources/replay.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { describeLabel } from '../../domain/words/deliveries.ts';
import { INSTANT, parseInstant } from '../server/instants.ts';
import { factoryOf, requireReached } from '../server/reach.ts';

/** What a replay and its dry run take: one delivery, or the filters of the list of deliveries. */
export interface ReplayFilters extends ReplayFilter {
  delivery?: DeliveryId;
  automation?: string;
  as_of?: ReplayDefinition;
}

export const replayFilterProperties: Record<keyof ReplayFilters, JsonSchema> = {
  delivery: {
    type: 'string',
    pattern: '^dlv_[0-9a-hjkmnp-tv-z]{26}$',
    description: 'ID of the only delivery to replay. Not with filters.',
  },
  webhook: {
    type: 'string',
    pattern: '^wh_[0-9a-hjkmnp-tv-z]{26}$',
    description: 'UID of a webhook. Without it, all webhooks of the factory.',
  },
  delivery_id: {
    type: 'string',
    minLength: 1,
    maxLength: 1024,
    description: 'The delivery ID of the sender, exactly.',
  },
  event: {
    type: 'string',
    minLength: 1,
    maxLength: 201,
    description: 'The name of the event. `pull_request` also selects `pull_request.opened`.',
  },
  from: { ...INSTANT, description: 'Received at this time or later.' },
  to: { ...INSTANT, description: 'Received before this time.' },
  unmatched: { type: 'boolean', description: 'Only deliveries that started no run.' },
  search: {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description: 'Text that the stored payload, or a recorded request header as `name: value`, contains exactly.',
  },
  automation: { type: 'string', minLength: 1, maxLength: 255, description: 'The only automation to evaluate.' },
  as_of: {
    type: 'string',
    enum: [...REPLAY_DEFINITIONS],
    default: 'now',
    description:
      '`now`: the live definition decides what starts. `then`: the same automations start as when the delivery was received, with their prompts of that time.',
  },
};

interface SelectionParts {
  inventory: Pick<InventoryReader, 'webhook'>;
  deliveries: Pick<DeliveryReader, 'get'>;
}

/** Checks what a request selects. Throws `bad_request`, `not_found` or `conflict`. */
export async function readSelection(
  parts: SelectionParts,
  request: FastifyRequest,
  { delivery = undefined, automation, as_of, ...filters }: ReplayFilters,
): Promise<ReplaySelection> {
  const { name: factory } = factoryOf(request);
  const filter = normalize(filters);
  if (delivery !== undefined && Object.keys(filter).length > 0) {
    throw new AppError('bad_request', 'Use either delivery or filters, not both.');
  }
  if (delivery !== undefined) await requireReplayable(parts, request, delivery);
  if (filter.webhook !== undefined) await requireWebhook(parts, request, filter.webhook);
  return { factory, delivery: delivery ?? null, filter, automation: automation ?? null, asOf: as_of ?? 'now' };
}

/** The filters that are set, with times in one form. */
function normalize({ webhook, delivery_id, event, from, to, unmatched, search }: ReplayFilter): ReplayFilter {
  const instant = (text: string | undefined, name: string) =>
    text === undefined ? undefined : formatInstant(parseInstant(text, name));
  const filter = {
    webhook,
    delivery_id,
    event,
    from: instant(from, 'from'),
    to: instant(to, 'to'),
    unmatched: unmatched || undefined,
    search,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

async function requireReplayable(
  { deliveries }: SelectionParts,
  request: FastifyRequest,
  id: DeliveryId,
): Promise<void> {
  const found = await deliveries.get(id);
  const isHere = found?.factory === factoryOf(request).name;
  const { label } = requireReached(request, 'delivery', isHere ? found : null);
  if (label !== 'Accepted') {
    const why = `${describeLabel(label)} Only accepted deliveries have a payload to replay.`;
    throw new AppError('conflict', why);
  }
}

async function requireWebhook({ inventory }: SelectionParts, request: FastifyRequest, uid: WebhookUid): Promise<void> {
  const found = await inventory.webhook(uid);
  requireReached(request, 'webhook', found?.factory === factoryOf(request).name ? found : null);
}

import { AppError } from '../../domain/errors.ts';
import type { DeliveryId } from '../../domain/ids.ts';
import type { JsonSchema } from '../../domain/json.ts';
import type { RunSearch } from '../../domain/ports/run-queue.ts';
import { DEAD_LETTER_STATE, type RunState } from '../../domain/resources/run.ts';
import { INSTANT, parseInstant } from '../server/instants.ts';

/** The filters of runs, as the list and the requests about many runs take them. */
export interface RunFilters {
  state?: RunState;
  dead_letter?: boolean;
  automation?: string;
  delivery?: string;
  webhook?: string;
  revision?: string;
  since?: string;
  search?: string;
}

/** @param states the states that the request accepts */
export function runFilterProperties(states: readonly RunState[]): Record<keyof RunFilters, JsonSchema> {
  return {
    state: { type: 'string', enum: [...states] },
    dead_letter: {
      type: 'boolean',
      description: 'Only dead letters: runs that failed and have no automatic attempt left. Not with `state`.',
    },
    automation: { type: 'string', minLength: 1 },
    delivery: { type: 'string', minLength: 1, maxLength: 100, description: 'ID of a delivery.' },
    webhook: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Name or UID of a webhook. The UID finds deleted webhooks too.',
    },
    revision: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description: 'The revision that was live, or its first characters.',
    },
    since: { ...INSTANT, description: 'Created at this time or later.' },
    search: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description:
        'A text in the result of the run: in its summary, in the title or the URL of a link, or in the name of an artifact.',
    },
  };
}

/** Throws `bad_request` if the filters exclude each other. */
export function readRunSearch(factory: string, filters: RunFilters): RunSearch {
  const { state, dead_letter, automation, delivery, webhook, revision, since, search } = filters;
  if (dead_letter && state !== undefined) {
    throw new AppError('bad_request', 'Use either dead_letter or state: dead letters have the state failed.');
  }
  return {
    factory,
    state: dead_letter ? DEAD_LETTER_STATE : state,
    automation,
    delivery: delivery as DeliveryId | undefined,
    webhook,
    revision,
    search,
    sinceAt: since === undefined ? undefined : parseInstant(since, 'since'),
  };
}

import type { ProviderEvent } from '../../triggers/trigger-pattern.ts';
import { readField } from '../read-field.ts';
import { type Evaluation, FiledPatterns } from './filed-patterns.ts';
import { forEachObject } from './path-tree.ts';

/** The patterns of provider triggers with the name of their event at one place of deliveries. */
interface NamePlace<Listener> {
  place: ProviderEvent['place'];
  /** By the name of the event. */
  events: Map<string, FiledPatterns<Listener>>;
}

/**
 * The patterns of provider triggers by event. A delivery is only compared with those of its event, so it costs nothing for
 * automations of other events. (Provider triggers, section 5, rule 3.)
 */
export class EventPatterns<Listener> {
  /** By the keys of the place. Nearly always one, because a webhook serves one provider. */
  readonly #places = new Map<string, NamePlace<Listener>>();

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** The patterns of an event. */
  of({ place, value }: ProviderEvent): FiledPatterns<Listener> {
    const id = place.join('.');
    const { events } = this.#places.get(id) ?? this.#addPlace(id, place);
    const known = events.get(value) ?? new FiledPatterns<Listener>();
    events.set(value, known);
    return known;
  }

  /** Forgets the event if it has no patterns. */
  dropEmpty({ place, value }: ProviderEvent): void {
    const id = place.join('.');
    const { events } = this.#places.get(id)!;
    if (events.get(value)?.size === 0) events.delete(value);
    if (events.size === 0) this.#places.delete(id);
  }

  /** Adds the listeners whose patterns match. */
  evaluate(evaluation: Evaluation<Listener>): void {
    for (const { place, events } of this.#places.values()) {
      visitNames(evaluation.received, place, 0, (name) => events.get(name)?.evaluate(evaluation));
    }
  }

  #addPlace(id: string, place: ProviderEvent['place']): NamePlace<Listener> {
    const added = { place, events: new Map<string, FiledPatterns<Listener>>() };
    this.#places.set(id, added);
    return added;
  }
}

/** Arrays count as filters count them: the event of one element suffices. */
function visitNames(value: unknown, place: readonly string[], from: number, visit: (name: string) => void): void {
  if (from < place.length) {
    forEachObject(value, (object) => visitNames(readField(object, place[from]!), place, from + 1, visit));
  } else if (typeof value === 'string') visit(value);
  else if (Array.isArray(value)) for (const one of value) if (typeof one === 'string') visit(one);
}

import type { Received } from '../../domain/definitions/trigger.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Comparison, RequiredValue, Source } from './trigger-event.ts';

/** A condition on values that are at several places of a payload, or derived from its texts. */
export interface ValueCondition {
  /** The key of the filter, for example `labels`. */
  key: string;
  /** The name of the values in explanations, for example `the added label`. */
  subject: string;
  compare: Comparison;
  /** One of the values at `from` equals one of these, as written; `null` requires nothing. */
  in: readonly string[] | null;
  /** No value at `notInFrom` equals one of these, as written; `null` excludes nothing. */
  notIn: readonly string[] | null;
  /** At least one value exists at `from` (`true`), or none (`false`); `null` requires neither. */
  exists: boolean | null;
  from: readonly Source[];
  notInFrom: readonly Source[];
  /** As in `RequiredValue`. */
  otherwise?: RequiredValue['otherwise'];
  /** As in `ServedKey`. */
  whyNone?: string;
}

/** The event of a provider that a trigger is for. */
export interface ProviderEvent {
  /** For example `github issue_labeled`. */
  trigger: string;
  /** Event and action as the provider names them, for example `issues.labeled`. */
  name: string;
  /** Where a delivery has the name of its event: keys from `headers` or `payload` on. */
  place: readonly [keyof Received, ...string[]];
  /** The name there, for example `issues`. Deliveries with another name are not looked at. */
  value: string;
}

/** What a provider trigger requires of one kind of delivery. */
export interface TriggerPattern {
  event: ProviderEvent;
  /** The grammar of filters. They decide whether a delivery is the event. */
  headers: JsonObject;
  payload: JsonObject;
  /** Looked at if the delivery is the event. */
  values: readonly ValueCondition[];
}

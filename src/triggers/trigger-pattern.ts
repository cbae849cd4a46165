import type { JsonObject } from '../core/json.ts';
import type { Comparison, Source } from './trigger-event.ts';

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
  /** At least one value exists at `from`. */
  exists: boolean;
  from: readonly Source[];
  notInFrom: readonly Source[];
}

/** The name of an event and its action at a provider, for explanations. */
export interface ProviderEvent {
  /** For example `github issue_labeled`. */
  trigger: string;
  /** What the provider sends, for example `issues.labeled`. */
  name: string;
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

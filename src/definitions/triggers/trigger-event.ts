import type { JsonObject } from '../../domain/json.ts';

/** How listed values are compared with those of a payload. Both are trimmed first. */
export type Comparison =
  /** Case-sensitive. */
  | 'exact'
  /** In any letter case. */
  | 'fold'
  /** Logins in any letter case; the `@` in front of a listed one is optional. */
  | 'login'
  /** Names of branches with or without `refs/heads/`. A listed `*`, `?` or `[` makes a glob. */
  | 'branch'
  /** The listed value is a glob of paths from the root of a repository. */
  | 'glob'
  /** The received text contains the listed one, in any letter case. */
  | 'text'
  /** Names of emoji, without colons and without the skin tone. */
  | 'emoji'
  /** Integers. */
  | 'number';

/** How values are derived from a text of a payload. */
export type Reading =
  /** The name of a branch behind `refs/heads/`; no value for other refs. */
  | 'branch_name'
  /** The names that a text of GitHub mentions with `@`. */
  | 'mentions'
  /** The names that a text of GitLab mentions with `@`. */
  | 'gitlab_mentions'
  /** What follows the last `/`. */
  | 'last_segment'
  /** The parts between white space. */
  | 'words'
  /** The parts between semicolons. */
  | 'semicolons'
  /** The IDs of the identities in mention markup, such as `@<ID>`. */
  | 'mention_markup'
  /** The text without markup such as `<at>…</at>`. */
  | 'without_tags'
  /** Of `Ann Lee <ann@acme.example>`: the unique name, the display name, and both. Otherwise the whole text. */
  | 'identity'
  /** The username of an account that GitLab made for a token or a service; no value for others. */
  | 'gitlab_bot';

/** Where the values of a filter key are. Paths as `parsePath` reads them, for example `issue.labels[*].name`. */
export interface Source {
  /** `''`: the text of the delivery (`DeliveryRow.text`). */
  path: string;
  /** The path that is read if `path` has no value. */
  otherwise?: string;
  read?: Reading;
  /** In front of each value: the value at this path and a slash. */
  prefix?: string;
  /** Only if the values at these two paths are equal, in any letter case. */
  ifEqual?: readonly [string, string];
  /** Values at this path do not count. Read like `path`. */
  without?: string;
  /** The elements of an array that count. Then `path` and `without` are relative to an element. */
  each?: Elements;
}

export interface Elements {
  /** Path of the array. */
  of: string;
  /** The element has this value under this key. */
  where?: readonly [key: string, value: string];
  /** The value under this key is not at this path of the payload. */
  unless?: readonly [key: string, path: string];
}

/** A filter key, and how its listed values are compared with those of a payload. */
export interface ServedKey {
  compare: Comparison;
  /** The values at all these places together. */
  from: readonly Source[];
  /** Where the values for `not_in` are, if elsewhere. */
  notInFrom?: readonly Source[];
  /** The name of the values in explanations, for example `the added label`. Default: the key. */
  subject?: string;
  /** If the delivery has no value: a possible reason, for explanations. */
  whyNone?: string;
  /** The form of each listed value. */
  form?: ValueForm;
  /** The known values. Others are warnings. */
  known?: readonly string[];
  /** Listed value → the value that a payload has instead. */
  aliases?: { readonly [listed: string]: string };
  /** Whether the filter must have the key: with one value, or with some. Such a key takes only `in`. */
  required?: 'one' | 'some';
  /** The key whose values this one also lists: both are one list. */
  nameFormOf?: string;
  /** Listed names must be resolved by this map of the webhook, unless they have the form of an ID. */
  namesFrom?: 'channels' | 'users' | 'teams';
}

/** The form that the values of a key must have. */
export type ValueForm = 'github-repository' | 'gitlab-repository';

/** A filter key whose values no delivery has. A trigger that uses it never starts. */
interface UnservedKey {
  /** Why, as the end of a sentence about the key. */
  unserved: string;
}

export type FilterKey = ServedKey | UnservedKey;

/** At least one value exists at some places together. */
export interface RequiredValue {
  /** What exists there, for explanations: `an added label`. Not the field that it is derived from, which may have a value. */
  subject: string;
  from: readonly Source[];
  /** If no value exists: the path of the field that explains why, and the reason. */
  otherwise?: { seen: string; because: string };
}

/** One kind of delivery that a trigger event stands for. */
export interface DeliveryRow {
  /** The name of the event at the provider. */
  event: string;
  /** What the payload must have, in the grammar of payload filters. */
  when?: JsonObject;
  /** Where the text is that `mentioned` reads. */
  text?: string;
  /** What it must have in addition. */
  requires?: readonly RequiredValue[];
  /** A value exists at one of these places: a bot wrote the text, and its mentions do not count. */
  bots?: readonly Source[];
}

/** An event of triggers: the deliveries it stands for, and the keys of its filter. */
export interface TriggerEvent {
  deliveries: readonly DeliveryRow[];
  keys: { readonly [key: string]: FilterKey };
  /** If the event requires a mention in the text of the delivery: how mentions are read. */
  needsMention?: 'mentions' | 'gitlab_mentions';
  /** Must the filter name who is mentioned? */
  needsName?: boolean;
  /** Two keys of which one must match if both have `in`. */
  either?: readonly [string, string];
  /** A condition that holds only for filters without this key. */
  unless?: { key: string; when: JsonObject };
  /** Why no webhook delivers the event. Then `deliveries` is empty. */
  unserved?: string;
  /** What the webhook needs so that the provider sends the event, as a sentence. */
  note?: string;
}

/** A URL that a payload does not have as a whole. */
export interface ComposedUrl {
  /** Path of the URL that it begins with. */
  base: string;
  /** What of that URL is used. */
  use: 'whole' | 'origin';
  /** Between that URL and the value at `path`. */
  infix: string;
  path: string;
}

/** A place of the number of an issue or pull request. */
interface NumberPlace extends Source {
  /** What has the number, where the provider numbers several kinds of subjects separately. */
  kind?: string;
}

/** Where deliveries of a provider say what they are about. Of several places, the first one with a value counts. */
export interface ContextPlaces {
  repository: readonly Source[];
  /** Number or key of the issue or pull request, or what else identifies the subject. */
  number: readonly NumberPlace[];
  /** For people, in a browser. */
  url: readonly (Source | ComposedUrl)[];
  /** Who caused the event. */
  actor: readonly Source[];
  commit: readonly Source[];
}

/** The accounts of a delivery, for the rules about actors. */
interface ActorPlaces {
  /** Every name and ID that `ignoreActors` of a webhook can list. */
  accounts: readonly Source[];
  /** A value at one of these places: the app of the webhook caused the event. */
  ownApp?: readonly Source[];
}

/** The trigger events of a provider. */
export interface TriggerProvider {
  /** The name for people. */
  title: string;
  /** The signature schemes of its deliveries. */
  schemes: readonly string[];
  /** Where a delivery has the name of its event: a header, or a path of the payload. */
  eventName: { header: string } | { path: string };
  context: ContextPlaces;
  actors: ActorPlaces;
  events: { readonly [event: string]: TriggerEvent };
}

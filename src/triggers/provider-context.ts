import type { Source } from './trigger-event.ts';

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

/** Where deliveries of a provider say what they are about. Of several places, the first one with a value counts. */
export interface ContextPlaces {
  repository: readonly Source[];
  /** Number or key of the issue or pull request, or what else identifies the subject. */
  number: readonly Source[];
  /** For people, in a browser. */
  url: readonly (Source | ComposedUrl)[];
  /** Who caused the event. */
  actor: readonly Source[];
  commit: readonly Source[];
}

/** The accounts of a delivery, for the rules about actors. */
export interface ActorPlaces {
  /** Every name and ID that `ignoreActors` of a webhook can list. */
  accounts: readonly Source[];
  /** A value at one of these places: the app of the webhook caused the event. */
  ownApp?: readonly Source[];
}
